import { adjectives, animals } from './guest-words.ts';

/*
 * The names of players who have chosen none, by their addresses. Browsers import this file too (`gantry-names`): nothing in
 * it may need Node.
 */

/** `guest` in ASCII. A wallet address begins with it by chance once in 2^40. */
export const guestPrefix = '0x6775657374';

/** What a player without a chosen name is called: two words for a guest, such as Amber Otter; otherwise `0x1234…abcd`. */
export function defaultName(address: string): string {
  const words = guestWords(address);
  return words ? words.map(capitalized).join(' ') : shortAddress(address);
}

/** `0x1234…abcd` */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** The adjective and the animal of a guest's address, chosen by its first two bytes after the prefix; null for a wallet. */
export function guestWords(address: string): [adjective: string, animal: string] | null {
  const [first, second] = guestBytes(address);
  const adjective = adjectives[first ?? -1];
  const animal = animals[second ?? -1];
  return adjective && animal ? [adjective, animal] : null;
}

/** The bytes of a guest's address after the prefix; none for a wallet. */
export function guestBytes(address: string): number[] {
  if (!address.startsWith(guestPrefix)) return [];
  const bytes = address.slice(guestPrefix.length).match(/[0-9a-f]{2}/g) ?? [];
  return bytes.map((digits) => Number.parseInt(digits, 16));
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
