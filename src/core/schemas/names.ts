import type { z } from 'zod';
import { invalidField } from '../errors.ts';
import { text } from './fields.ts';

/*
 * Names that others see, by the Nickname profile of PRECIS (RFC 8266, 2.1), with two differences: they are normalized to
 * NFC, which unlike NFKC keeps letters as they were typed (Ｆ, ²), and joiners are allowed within emoji too.
 */

/** In these, joiners choose the form of a letter: cursive scripts, and those with viramas. */
const joiningScripts =
  'Adlm Arab Beng Cakm Deva Gujr Guru Khmr Knda Mlym Mong Mymr Newa Nkoo Orya Rohg Sinh Syrc Taml Telu'
    .split(' ')
    .map((script) => String.raw`\p{scx=${script}}`)
    .join('');

/** Invisible characters that change how a visible one beside them is drawn. */
const drawn = [
  String.raw`\p{RGI_Emoji_Tag_Sequence}`, // flags of regions
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}])\u{200D}(?=\p{Extended_Pictographic})`,
  // RFC 5892, appendix A, without the properties that regular expressions do not know.
  String.raw`(?<=[[${joiningScripts}]&&[\p{L}\p{M}]])[\u{200C}\u{200D}]`,
  // Variants of emoji, ideographs and Mongolian letters.
  String.raw`(?<=\p{Emoji})[\u{FE0E}\u{FE0F}]`,
  String.raw`(?<=\p{Ideographic})[\u{FE00}-\u{FE0D}\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{scx=Mong})[\u{180B}-\u{180F}]`,
].join('|');

/** Control, format, private and unassigned characters, half surrogates, line ends, and fillers such as U+3164. */
const hidden = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

const hasHidden = new RegExp(hidden, 'v');
/** `drawn` or, as its first group, a hidden character. */
const drawnOrHidden = new RegExp(`${drawn}|(${hidden})`, 'gv');

/** Has a shape; excluded are blank symbols and hieroglyphs. */
const visible = /[[\p{L}\p{N}\p{P}\p{S}]--[\u{2800}\u{13441}\u{13442}\u{1D159}]]/v;

/** Spaces of all scripts, also that of Braille. */
const spaces = /[\p{Zs}\u2800]+/gu;
/** White space at either end, and invisible characters that are copied along with it. */
const ends = /^[\s\u200b\u2060]+|[\s\u200b\u2060]+$/gu;

/** A normalized name is at most this many times shorter than what was sent. */
const maxShrinkage = 4;

/**
 * A name in a request, of `min` to `max` characters. Spaces at its ends are removed, others folded into one, and it is
 * normalized to NFC; with hidden characters, or without visible ones, it is refused.
 */
export function nameText(min: number, max: number): z.ZodString {
  return text(min, max, (value) => normalized(value, max) || value)
    .refine((value) => hiddenIn(value) === undefined, { error: ({ input }) => refusal(String(input)) })
    .refine((value) => value === '' || visible.test(value), 'must have a visible character');
}

/**
 * As `nameText`, for names that the caller has not chosen, such as those of accounts elsewhere: hidden characters are
 * removed, and a name without visible ones counts as empty.
 */
export function cleanedNameText(min: number, max: number): z.ZodString {
  return text(min, max, (value) => cleaned(value, max));
}

/** @throws GantryError `input_invalid` for a name with hidden characters */
export function refuseHidden(name: string, path: string): void {
  if (hiddenIn(name) !== undefined) throw invalidField(path, refusal(name));
}

function normalized(value: string, max: number): string {
  return isFarTooLong(value, max) ? value : value.replace(spaces, ' ').replace(ends, '').normalize('NFC');
}

function cleaned(value: string, max: number): string {
  if (isFarTooLong(value, max)) return value;
  let [before, name] = ['', value];
  // Normalization orders marks, after which a joiner may follow another character.
  while (name !== before) [before, name] = [name, normalized(withoutHidden(name), max)];
  return visible.test(name) ? name : '';
}

function withoutHidden(value: string): string {
  return value.replace(drawnOrHidden, (found, isHidden) => {
    if (isHidden === undefined) return found;
    return /\s/.test(found) ? ' ' : '';
  });
}

/** It is refused for its length; normalization would take quadratic time, a minute for 200,000 combining marks. */
function isFarTooLong(value: string, max: number): boolean {
  return value.length > max * maxShrinkage;
}

function hiddenIn(value: string): string | undefined {
  if (!hasHidden.test(value)) return undefined;
  for (const [, found] of value.matchAll(drawnOrHidden)) if (found !== undefined) return found;
  return undefined;
}

function refusal(name: string): string {
  const codePoint = hiddenIn(name)?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `must not contain U+${codePoint}: a control, invisible, private or unassigned character`;
}
