import { expect, test } from 'vitest';
import { ConsoleSignIns } from '../../src/calls/auth/console-sign-ins.ts';

const minute = 60_000;

test("a link's code works once, within ten minutes; its token works for twelve hours", () => {
  let now = 1_790_000_000_000;
  const signIns = new ConsoleSignIns(() => now);
  const [used, late] = [signIns.newCode(), signIns.newCode()];
  now += 10 * minute - 1;
  const signedIn = signIns.redeem(used);
  expect(signedIn).toEqual({ token: expect.stringMatching(/^gct_/), expiresAt: now + 720 * minute });
  expect(signIns.redeem(used)).toBeNull();
  now += 1;
  expect(signIns.redeem(late)).toBeNull();

  const { token, expiresAt } = signedIn ?? { token: '', expiresAt: 0 };
  now = expiresAt - 1;
  expect(signIns.expiryOf(token)).toBe(expiresAt);
  expect(new ConsoleSignIns(() => now).expiryOf(token)).toBeNull();
  now = expiresAt;
  expect(signIns.expiryOf(token)).toBeNull();
});
