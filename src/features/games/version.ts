import { z } from 'zod';
import { notSeen } from '../../core/schemas/seen-text.ts';

/** The most numbers in a version. */
const maxNumbers = 4;

/** A version of a game: up to four numbers, as in `1.4` or `1.4.2.10`. */
export const gameVersion = notSeen(
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9}){0,3}$/, 'must be one to four numbers with dots in between, such as 1.4.2')
    .meta({ examples: ['1.4.2'] }),
  'choice',
);

/** Negative when the first version is older than the second, positive when it is newer; missing numbers are 0. */
export function compareVersions(one: string, other: string): number {
  const numbers = one.split('.').map(Number);
  const others = other.split('.').map(Number);
  for (let at = 0; at < Math.max(numbers.length, others.length); at++) {
    const difference = (numbers[at] ?? 0) - (others[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A version as it is written, and the ways to write an equal one: `1.4`, `1.4.0` and `1.4.0.0`. */
export function spellingsOf(version: string): ReadonlySet<string> {
  const shortest = version
    .split('.')
    .map(Number)
    .join('.')
    .replace(/(\.0)+$/, '');
  const missing = maxNumbers - shortest.split('.').length;
  return new Set([
    version,
    ...Array.from({ length: missing + 1 }, (_, zeros) => shortest + '.0'.repeat(zeros)),
  ]);
}

/** A version as a client sent it: null when it sent none, or something else. */
export function sentVersion(sent: unknown): string | null {
  return gameVersion.safeParse(sent).data ?? null;
}
