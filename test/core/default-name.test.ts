import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { defaultName, guestPrefix } from '../../src/core/schemas/default-name.ts';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import { adjectives, animals } from '../../src/core/schemas/guest-words.ts';
import { username } from '../../src/features/players/player.ts';
import { guestPicture } from '../../src/transports/http/guest-picture.ts';

const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const guest = (first: number, second: number, rest = '0') =>
  `${guestPrefix}${hex(first)}${hex(second)}`.padEnd(42, rest);

test('a wallet is shown by its ends, a guest by two words of its address', () => {
  expect(defaultName(`0x1234${'0f'.repeat(16)}abcd`)).toBe('0x1234…abcd');
  const name = defaultName(guest(adjectives.indexOf('amber'), animals.indexOf('otter')));
  expect(name).toBe('Amber Otter');
  expect(defaultName(newGuestAddress())).toMatch(/^[A-Z][a-z]{1,8} [A-Z][a-z]{1,8}$/);
});

test('the 65,536 names differ and are names that a player may choose', () => {
  const words = [...adjectives, ...animals];
  expect([adjectives.length, animals.length, new Set(words).size]).toEqual([256, 256, 512]);
  expect(words.filter((word) => !/^[a-z]{2,9}$/.test(word))).toEqual([]);
  const names = adjectives.flatMap((_, first) =>
    animals.map((_, second) => defaultName(guest(first, second))),
  );
  expect(new Set(names).size).toBe(65_536);
  expect(names.filter((name) => username.parse(name) !== name)).toEqual([]);
});

test('no word has moved, which would rename guests', () => {
  const hash = createHash('sha256')
    .update([...adjectives, ...animals].join())
    .digest('hex');
  expect(hash).toBe('78ffa44d11925e6d839e2bd9dbd75d9b36fda8671c3c99dc7aaa5b73996f93ed');
});

test('guests have pictures with their initials, which differ with the address; wallets have none', () => {
  const picture = guestPicture(guest(adjectives.indexOf('amber'), animals.indexOf('otter')));
  expect(picture).toMatch(
    /^<svg [^>]*><rect [^>]*fill="#8a6e2e"\/><circle [^>]*\/><text [^>]*>AO<\/text><\/svg>$/,
  );
  expect(picture?.length).toBeLessThan(500);
  const others = [guest(0, 1), guest(1, 0), guest(1, 0, 'f')].map(guestPicture);
  expect(new Set(others).size).toBe(3);
  expect(guestPicture(`0x${'ab'.repeat(20)}`)).toBeNull();
});
