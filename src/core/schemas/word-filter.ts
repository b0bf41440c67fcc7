import { z } from 'zod';
import { GantryError } from '../../errors.ts';
import { text } from './text.ts';

/*
 * Words and phrases that a game does not want to be said. They are texts, never patterns: a message is read once from its
 * beginning to its end, whatever the list and whatever the message.
 */

/** The most words and phrases of a game. */
const maxWords = 500;

export const wordFilterPolicy = z.object({
  /** What becomes of a message with one of them: it is refused, or they are replaced by asterisks. Names are refused. */
  action: z.enum(['reject', 'mask']).default('mask'),
  words: z
    .array(text(1, 60).refine((word) => tokensOf(word).length > 0, 'must have a letter or a digit'))
    .max(maxWords)
    .default([]),
});
export type WordFilterPolicy = z.infer<typeof wordFilterPolicy>;

/** A message as it may be said in a game. @throws GantryError `words_not_allowed` */
export function filteredMessage(policy: WordFilterPolicy, message: string, path: string): string {
  if (policy.words.length === 0) return message;
  const tokens = tokensOf(message);
  const found = matchesOf(compiled(policy), tokens);
  if (found.length === 0) return message;
  if (policy.action === 'reject') throw notAllowed(path);
  let masked = '';
  let done = 0;
  for (const { start, end } of found) {
    masked += message.slice(done, start) + '*'.repeat([...message.slice(start, end)].length);
    done = end;
  }
  return masked + message.slice(done);
}

/** @throws GantryError `words_not_allowed` for a name that has one of the game's words in it, whatever its `action` */
export function refuseName(policy: WordFilterPolicy, name: string | undefined, path: string): void {
  if (policy.words.length === 0 || name === undefined) return;
  if (matchesOf(compiled(policy), tokensOf(name)).length > 0) throw notAllowed(path);
}

/** A word of a text: folded, and where it stands in UTF-16 units. */
interface Token {
  folded: string;
  start: number;
  end: number;
}

/** Words that may follow one another; `ends`: a phrase does here. */
interface Branch {
  ends: boolean;
  next: Map<string, Branch>;
}

/** A game is the same object while it has not changed. */
const trees = new WeakMap<WordFilterPolicy, Branch>();

function compiled(policy: WordFilterPolicy): Branch {
  const known = trees.get(policy);
  if (known) return known;
  const root: Branch = { ends: false, next: new Map() };
  for (const phrase of policy.words) {
    let branch = root;
    for (const { folded } of tokensOf(phrase)) {
      const next = branch.next.get(folded) ?? { ends: false, next: new Map() };
      branch.next.set(folded, next);
      branch = next;
    }
    branch.ends = true;
  }
  trees.set(policy, root);
  return root;
}

/** The words of a text that make up phrases, the longest ones first from the left. */
function matchesOf(root: Branch, tokens: readonly Token[]): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    let length = 0;
    let branch: Branch | undefined = root;
    for (let behind = at; branch && behind < tokens.length; behind++) {
      branch = branch.next.get(tokens[behind]?.folded ?? '');
      if (branch?.ends) length = behind + 1 - at;
    }
    found.push(...tokens.slice(at, at + length));
    at += length || 1;
  }
  return found;
}

/** Runs of letters and digits. What folds to nothing (accents, characters without a width) parts no word and is none. */
function tokensOf(value: string): Token[] {
  const tokens: Token[] = [];
  let open: Token | null = null;
  let at = 0;
  for (const character of value) {
    const folded = foldOf(character);
    const start = at;
    at += character.length;
    if (folded === null) {
      open = null;
    } else if (open) {
      open.folded += folded;
      open.end = at;
    } else if (folded !== '') {
      open = { folded, start, end: at };
      tokens.push(open);
    }
  }
  return tokens;
}

/** By character; of the Unicode there is, a small part is ever written. */
const folds = new Map<string, string | null>();
const maxFolds = 20_000;

/** Null: it parts words. */
function foldOf(character: string): string | null {
  const known = folds.get(character);
  if (known !== undefined) return known;
  const folded = fold(character);
  if (folds.size < maxFolds) folds.set(character, folded);
  return folded;
}

/** Combining accents of every alphabet that has case; the vowels of others are marks too, and stay. */
const accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

function fold(character: string): string | null {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return '';
  const plain = character.normalize('NFKD').replace(accents, '');
  if (plain === '') return '';
  if (!/^[\p{L}\p{N}\p{M}]+$/u.test(plain)) {
    // Such as ⑴, which decomposes to more than letters and digits.
    const letters = plain.replace(/[^\p{L}\p{N}]/gu, '');
    if (letters === '') return null;
    return casefold(letters);
  }
  return casefold(plain);
}

/** As Unicode folds case, but for a few letters that no keyboard has. */
function casefold(letters: string): string {
  return letters.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKD').replace(accents, '');
}

function notAllowed(path: string): GantryError {
  const message = 'has words in it that this game does not allow';
  return new GantryError('words_not_allowed', `${path}: ${message}`, { fields: [{ path, message }] });
}
