import { z } from 'zod';
import { type GantryError, invalidField } from '../errors.ts';
import { text } from './fields.ts';
import { casefold } from './folded.ts';

/*
 * Words and phrases that a game disallows. They are literal texts, never patterns: a message is scanned once from start
 * to end, whatever the list and the message contain.
 */

/** Maximum number of words and phrases per game. */
const maxWords = 500;

export const wordFilterPolicy = z.object({
  /** Whether a message with one of them is rejected, or they are replaced by asterisks. Names are always rejected. */
  action: z.enum(['reject', 'mask']).default('mask'),
  words: z
    .array(text(1, 60).refine((word) => runsOf(word).length > 0, 'must have a letter or a digit'))
    .max(maxWords)
    .default([]),
});
export type WordFilterPolicy = z.infer<typeof wordFilterPolicy>;

/** The message after applying a game's word filter. @throws GantryError `words_not_allowed` */
export function filteredMessage(policy: WordFilterPolicy, message: string, path: string): string {
  if (policy.words.length === 0) return message;
  const found = matchesOf(policy, message);
  if (found.length === 0) return message;
  if (policy.action === 'reject') throw notAllowed(path);
  return masked(message, found);
}

/** The text with a game's words masked, whatever the `action`: for texts that it is too late to reject. */
export function maskedText(policy: WordFilterPolicy, text: string): string {
  return policy.words.length === 0 ? text : masked(text, matchesOf(policy, text));
}

function masked(text: string, found: readonly Run[]): string {
  let result = '';
  let done = 0;
  for (const { start, end } of found) {
    result += text.slice(done, start) + '*'.repeat([...text.slice(start, end)].length);
    done = end;
  }
  return result + text.slice(done);
}

/** @throws GantryError `words_not_allowed` for a name that contains one of the game's words, whatever the `action` */
export function refuseName(policy: WordFilterPolicy, name: string | undefined, path: string): void {
  if (policy.words.length === 0 || name === undefined) return;
  if (matchesOf(policy, name).length > 0) throw notAllowed(path);
}

/** Between two runs: nothing, signs such as `_`, or what ends a word, such as a space. */
type Gap = 'none' | 'signs' | 'space';

/** A run of letters or of digits, case-folded, with its position in UTF-16 code units. */
interface Run {
  folded: string;
  isDigits: boolean;
  start: number;
  end: number;
  /** What is between it and the previous run. */
  gap: Gap;
}

/** A node of a trie; `isEnd`: a listed word or phrase ends here. */
interface TrieNode {
  isEnd: boolean;
  next: Map<string, TrieNode>;
}

/** `words`: by character, without the signs within them; `phrases`: by run. */
interface Tries {
  words: TrieNode;
  phrases: TrieNode;
}

/** Cached by identity: a game's policy is the same object until it changes. */
const cached = new WeakMap<WordFilterPolicy, Tries>();

function triesOf(policy: WordFilterPolicy): Tries {
  const known = cached.get(policy);
  if (known) return known;
  const tries = { words: newNode(), phrases: newNode() };
  for (const entry of policy.words) {
    const runs = runsOf(entry);
    const parts = runs.map(({ folded }) => folded);
    const isWord = runs.every(({ gap }, at) => at === 0 || gap !== 'space');
    if (isWord) add(tries.words, parts.join(''));
    if (runs.some(({ gap }, at) => at > 0 && gap !== 'none')) add(tries.phrases, parts);
  }
  cached.set(policy, tries);
  return tries;
}

function newNode(): TrieNode {
  return { isEnd: false, next: new Map() };
}

function add(root: TrieNode, steps: Iterable<string>): void {
  let node = root;
  for (const step of steps) {
    const next = node.next.get(step) ?? newNode();
    node.next.set(step, next);
    node = next;
  }
  node.isEnd = true;
}

/** The runs of a text that belong to listed words and phrases; leftmost longest match. */
function matchesOf(policy: WordFilterPolicy, text: string): Run[] {
  const { words, phrases } = triesOf(policy);
  const runs = runsOf(text);
  const found: Run[] = [];
  for (let at = 0; at < runs.length; ) {
    const length = Math.max(wordLength(words, runs, at), phraseLength(phrases, runs, at));
    found.push(...runs.slice(at, at + length));
    at += length || 1;
  }
  return found;
}

/** The number of runs, from this one, that make up the longest listed word; 0: none. */
function wordLength(root: TrieNode, runs: readonly Run[], from: number): number {
  let node: TrieNode | undefined = root;
  let length = 0;
  for (let at = from; at < runs.length; at++) {
    const run = runs[at];
    if (!run || (at > from && run.gap === 'space')) break;
    for (const character of run.folded) {
      node = node.next.get(character);
      if (!node) return length;
    }
    if (node.isEnd) length = at + 1 - from;
  }
  return length;
}

/** The number of runs, from this one, that make up the longest listed phrase, whatever separates them; 0: none. */
function phraseLength(root: TrieNode, runs: readonly Run[], from: number): number {
  let node: TrieNode | undefined = root;
  let length = 0;
  for (let at = from; at < runs.length; at++) {
    node = node.next.get(runs[at]?.folded ?? '');
    if (!node) break;
    if (node.isEnd) length = at + 1 - from;
  }
  return length;
}

/** A text that is one address of a page or picture. */
const url = /^https?:\/\/\S+$/iu;

/**
 * Characters that fold to nothing (accents, zero-width ones) do not separate runs. In a URL, whose random ids contain
 * every short word between their digits, only whole parts count.
 */
function runsOf(value: string): Run[] {
  const isUrl = url.test(value);
  const runs: Run[] = [];
  let open: Run | undefined;
  let gap: Gap = 'none';
  let at = 0;
  for (const character of value) {
    const fold = foldOf(character);
    const { folded, separates } = fold;
    const isDigits = fold.isDigits && !isUrl;
    const start = at;
    at += character.length;
    if (separates !== 'none') {
      open = undefined;
      if (gap !== 'space') gap = isUrl ? 'space' : separates;
    } else if (open && open.isDigits === isDigits) {
      open.folded += folded;
      open.end = at;
    } else if (folded !== '') {
      open = { folded, isDigits, start, end: at, gap };
      runs.push(open);
      gap = 'none';
    }
  }
  return runs;
}

/** A character, case-folded; empty if it separates runs, or does not count. */
interface Fold {
  folded: string;
  isDigits: boolean;
  /** What it separates runs as. */
  separates: Gap;
}

/** Cache by character, bounded; only a small part of Unicode is ever used. */
const folds = new Map<string, Fold>();
const maxFolds = 20_000;

function foldOf(character: string): Fold {
  const known = folds.get(character);
  if (known !== undefined) return known;
  const folded = fold(character);
  const isDigits = folded !== null && /^\p{Nd}+$/u.test(folded);
  const result: Fold = {
    folded: folded ?? '',
    isDigits,
    separates: folded === null ? gapOf(character) : 'none',
  };
  if (folds.size < maxFolds) folds.set(character, result);
  return result;
}

/**
 * Signs do not end a word (`bad_word`). White space does, and apostrophes do, so that a contraction is not another word
 * (he'll).
 */
function gapOf(separator: string): Gap {
  return /[\p{Z}\p{C}'`\u00b4\u2018\u2019\u201b\u2032\uff07]/u.test(separator) ? 'space' : 'signs';
}

/** Combining accents of all scripts with case; vowel signs of other scripts are marks too, and are kept. */
const accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/** Null: the character separates words. */
function fold(character: string): string | null {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return '';
  const plain = character.normalize('NFKD').replace(accents, '');
  if (plain === '') return '';
  if (!/^[\p{L}\p{N}\p{M}]+$/u.test(plain)) {
    // Characters such as ⑴ decompose to more than letters and digits.
    const letters = plain.replace(/[^\p{L}\p{N}]/gu, '');
    if (letters === '') return null;
    return withoutCase(letters);
  }
  return withoutCase(plain);
}

function withoutCase(letters: string): string {
  return casefold(letters).normalize('NFKD').replace(accents, '');
}

function notAllowed(path: string): GantryError {
  return invalidField(path, 'contains words that this game does not allow', 'words_not_allowed');
}
