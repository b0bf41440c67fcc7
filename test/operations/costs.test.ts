import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AnyOperation } from '../../src/features/operation.ts';
import { type AnyCost, callsOf } from '../../src/features/operation-cost.ts';
import { launcherOperations } from '../support/registered.ts';

/** Fields by which a caller determines how much work a call is: lists of things, and the size of a page. */
const sizes = new Set(['limit', 'pageSize']);

/**
 * A batch counts the sum of its calls, leaving public streams only changes what is in memory, and a participant's
 * permissions are few.
 */
const exempt = new Set(['batch.operations', 'unsubscribe.channels', 'addParticipant.participant']);

interface Form {
  name: string;
  input: z.ZodType;
  cost: AnyCost | undefined;
}

const forms: Form[] = launcherOperations.flatMap((one: AnyOperation) => [
  { name: one.name, input: one.input, cost: one.cost },
  ...(one.otherForm ? [{ name: one.name, input: one.otherForm.input, cost: one.otherForm.cost }] : []),
]);

/** The fields of an input that are lists, or say how many rows are wanted. */
function growing(input: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).flatMap(([field, schema]) =>
    sizes.has(field) || JSON.stringify(schema).includes('"type":"array"') ? [field] : [],
  );
}

describe('every operation whose work grows with its input', () => {
  const all = forms.flatMap((form) =>
    growing(form.input)
      .filter((field) => !exempt.has(`${form.name}.${field}`))
      .map((field) => ({ ...form, field })),
  );

  it('is found', () => {
    const names = new Set(all.map(({ name, field }) => `${name}.${field}`));
    for (const known of ['getLeaderboardAmong.wallets', 'notifyPlayers.wallets', 'getActivities.pageSize'])
      expect(names).toContain(known);
  });

  it.each(all)('declares what a call costs: $name, by $field', ({ cost }) => {
    expect(cost).toBeDefined();
  });
});

it('a call that costs a fraction counts as the next whole number of calls, and at least as one', () => {
  const cost: AnyCost = {
    text: 'one read for every 2 wallets',
    of: (input: { count: number }) => input.count / 2,
  };
  expect([0, 1, 2, 3, 100].map((count) => callsOf(cost, { count }))).toEqual([1, 1, 1, 2, 50]);
  expect(callsOf(undefined, {})).toBe(1);
});

it('no call of default size costs more than a twentieth of what a player may do at once', () => {
  for (const { input, cost, name } of forms) {
    const parsed = input.safeParse({ gameId: 'a', wallets: [], channelId: crypto.randomUUID() });
    if (cost && parsed.success && typeof parsed.data === 'object' && parsed.data)
      expect(callsOf(cost, parsed.data), name).toBeLessThanOrEqual(10);
  }
});
