import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from '../../src/calls/parse-input.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { setRules } from '../../src/features/rules/operations/rules.ts';

/** The errors of an input, field by field. */
function problemsOf(schema: z.ZodType, input: unknown): Record<string, string> {
  try {
    parseInput(schema, input);
  } catch (error) {
    const fields = (error as { fields: { path: string; message: string }[] }).fields;
    return Object.fromEntries(fields.map(({ path, message }) => [path, message]));
  }
  throw new Error('the input was accepted');
}

test('an invalid field has a clear error', () => {
  const schema = z.object({
    missing: z.string(),
    text: z.string(),
    empty: z.string().min(1),
    short: z.string().min(3),
    long: z.string().max(1_000),
    whole: z.int(),
    small: z.number().min(1),
    above: z.number().gt(3),
    large: z.number().lt(2_000),
    step: z.number().multipleOf(5),
    flag: z.boolean(),
    list: z.array(z.string()).max(1),
    object: z.object({ inside: z.number() }),
    choice: z.enum(['best', 'latest', 'first']),
    only: z.literal('yes'),
    id: z.uuid(),
    link: z.url(),
    known: z.strictObject({}),
    own: z.string().regex(/^a/, 'must begin with an a'),
  });
  const input = {
    text: 3,
    empty: '',
    short: 'a',
    long: 'a'.repeat(1_001),
    whole: 1.5,
    small: 0,
    above: 3,
    large: 2_000,
    step: 7,
    flag: 'true',
    list: ['a', 'b'],
    object: { inside: 'x' },
    choice: 'worst',
    only: 'no',
    id: 'x',
    link: 'x',
    known: { other: 1, another: 2 },
    own: 'b',
  };
  expect(problemsOf(schema, input)).toEqual({
    missing: 'is required',
    text: 'must be a string',
    empty: 'must not be empty',
    short: 'must be at least 3 characters long',
    long: 'must be at most 1,000 characters long',
    whole: 'must be a whole number',
    small: 'must be at least 1',
    above: 'must be more than 3',
    large: 'must be less than 2,000',
    step: 'must be a multiple of 5',
    flag: 'must be true or false',
    list: 'must have at most 1 entry',
    'object.inside': 'must be a number',
    choice: 'must be "best", "latest" or "first"',
    only: 'must be "yes"',
    id: 'must be a UUID',
    link: 'must be a URL such as https://game.example/page',
    known: 'has unknown fields: other, another',
    own: 'must begin with an a',
  });
});

test('for a union, all types are named, or the error of the one that nearly matches', () => {
  const value = z.union([z.string(), z.number(), z.boolean()]);
  expect(problemsOf(z.object({ value }), { value: {} })).toEqual({
    value: 'must be a string, a number or true or false',
  });
  const optional = z.union([z.string().regex(/^a/, 'must begin with an a'), z.literal('')]);
  expect(problemsOf(z.object({ optional }), { optional: 'b' })).toEqual({ optional: 'must begin with an a' });
});

test("no field of a game, and none of a rule, has the validator's raw message", () => {
  const game = {
    name: '',
    slug: 'No Slug',
    kind: 'golf',
    url: 'x',
    allowedOrigins: 'x',
    policies: { scores: 1, limits: { read: { points: 0, seconds: 'x' } }, spending: { tokens: [{}] } },
  };
  const rules = [
    { trigger: 'win', actions: [{ type: 'MintToken' }, { type: 'Notify' }], limitExecutions: 3 },
    7,
  ];
  const said = [
    ...Object.values(problemsOf(createGame.input, game)),
    ...Object.values(problemsOf(setRules.input, { gameId: 'x', rules })),
    ...Object.values(problemsOf(setRules.input, { gameId: 'x', rules: 'x' })),
  ];
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter((message) => /invalid|expected|received|too (small|big)/i.test(message))).toEqual([]);
});
