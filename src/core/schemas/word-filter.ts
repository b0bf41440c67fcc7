import { z } from 'zod';
import { GantryError } from '../../errors.ts';
import { text } from './text.ts';

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
    .array(text(1, 60).refine((word) => tokensOf(word).length > 0, 'must have a letter or a digit'))
    .max(maxWords)
    .default([]),
});
export type WordFilterPolicy = z.infer<typeof wordFilterPolicy>;

/** The message after applying a game's word filter. @throws GantryError `words_not_allowed` */
export function filteredMessage(policy: WordFilterPolicy, message: string, path: string): string {
  if (policy.words.length === 0) return message;
  const tokens = tokensOf(message);
  const found = matchesOf(trieOf(policy), tokens);
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

/** @throws GantryError `words_not_allowed` for a name that contains one of the game's words, whatever the `action` */
export function refuseName(policy: WordFilterPolicy, name: string | undefined, path: string): void {
  if (policy.words.length === 0 || name === undefined) return;
  if (matchesOf(trieOf(policy), tokensOf(name)).length > 0) throw notAllowed(path);
}

/** A word of a text: case-folded, with its position in UTF-16 code units. */
interface Token {
  folded: string;
  start: number;
  end: number;
}

/** A node of the trie of phrases; `isEnd`: a phrase ends here. */
interface TrieNode {
  isEnd: boolean;
  next: Map<string, TrieNode>;
}

/** Cached by identity: a game's policy is the same object until it changes. */
const tries = new WeakMap<WordFilterPolicy, TrieNode>();

function trieOf(policy: WordFilterPolicy): TrieNode {
  const known = tries.get(policy);
  if (known) return known;
  const root: TrieNode = { isEnd: false, next: new Map() };
  for (const phrase of policy.words) {
    let node = root;
    for (const { folded } of tokensOf(phrase)) {
      const next = node.next.get(folded) ?? { isEnd: false, next: new Map() };
      node.next.set(folded, next);
      node = next;
    }
    node.isEnd = true;
  }
  tries.set(policy, root);
  return root;
}

/** The words of a text that belong to phrases; leftmost longest match. */
function matchesOf(root: TrieNode, tokens: readonly Token[]): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    let length = 0;
    let node: TrieNode | undefined = root;
    for (let end = at; node && end < tokens.length; end++) {
      node = node.next.get(tokens[end]?.folded ?? '');
      if (node?.isEnd) length = end + 1 - at;
    }
    found.push(...tokens.slice(at, at + length));
    at += length || 1;
  }
  return found;
}

/** Runs of letters and digits. Characters that fold to nothing (accents, zero-width ones) do not separate words. */
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

/** Cache by character, bounded; only a small part of Unicode is ever used. */
const folds = new Map<string, string | null>();
const maxFolds = 20_000;

/** Null: the character separates words. */
function foldOf(character: string): string | null {
  const known = folds.get(character);
  if (known !== undefined) return known;
  const folded = fold(character);
  if (folds.size < maxFolds) folds.set(character, folded);
  return folded;
}

/** Combining accents of all scripts with case; vowel signs of other scripts are marks too, and are kept. */
const accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

function fold(character: string): string | null {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return '';
  const plain = character.normalize('NFKD').replace(accents, '');
  if (plain === '') return '';
  if (!/^[\p{L}\p{N}\p{M}]+$/u.test(plain)) {
    // Characters such as ⑴ decompose to more than letters and digits.
    const letters = plain.replace(/[^\p{L}\p{N}]/gu, '');
    if (letters === '') return null;
    return casefold(letters);
  }
  return casefold(plain);
}

/** Approximates Unicode case folding; it differs only in a few letters that no keyboard has. */
function casefold(letters: string): string {
  return letters.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKD').replace(accents, '');
}

function notAllowed(path: string): GantryError {
  const message = 'contains words that this game does not allow';
  return new GantryError('words_not_allowed', `${path}: ${message}`, { fields: [{ path, message }] });
}
