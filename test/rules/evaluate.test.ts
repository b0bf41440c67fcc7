import { describe, expect, test } from 'vitest';
import type { TokenCondition } from '../../src/core/schemas/token-condition.ts';
import { dueActions } from '../../src/features/rules/evaluate.ts';
import { type Action, type Rule, ruleList } from '../../src/features/rules/rule.ts';
import { extractValues } from '../../src/features/states/state-values.ts';

interface Known {
  value: number | undefined;
  score(nonce: string | undefined): number | undefined;
  state(label: string): unknown;
  active(event: string): boolean | undefined;
  config(key: string): unknown;
  owned(condition: TokenCondition): bigint | undefined;
}

const nothingKnown: Known = {
  value: undefined,
  score: () => undefined,
  state: () => undefined,
  active: () => undefined,
  config: () => undefined,
  owned: () => undefined,
};

describe('a condition on the value sent with the trigger', () => {
  test.each([
    ['gt', [false, false, true]],
    ['gte', [false, true, true]],
    ['lt', [true, false, false]],
    ['lte', [true, true, false]],
    ['eq', [false, true, false]],
    ['ne', [true, false, true]],
  ])('%s 10 for 9, 10 and 11: %j', (operator, expected) => {
    const rule = ruleWith({ type: 'payload-value-condition', operator, value: 10 });
    expect([9, 10, 11].map((value) => isDue(rule, { value }))).toEqual(expected);
  });

  test.each(['gt', 'gte', 'lt', 'lte', 'eq', 'ne'])('%s is false when no value was sent', (operator) => {
    for (const value of [-1, 0, 1]) {
      expect(isDue(ruleWith({ type: 'payload-value-condition', operator, value }), {})).toBe(false);
    }
  });

  test('0 and negative values are values', () => {
    expect(isDue(ruleWith({ type: 'payload-value-condition', operator: 'eq', value: 0 }), { value: 0 })).toBe(
      true,
    );
    expect(
      isDue(ruleWith({ type: 'payload-value-condition', operator: 'lt', value: 0 }), { value: -1 }),
    ).toBe(true);
  });
});

describe('a condition on the score', () => {
  test.each([
    ['gt', [false, false, true]],
    ['gte', [false, true, true]],
    ['lt', [true, false, false]],
    ['lte', [true, true, false]],
    ['eq', [false, true, false]],
    ['ne', [true, false, true]],
  ])('%s 1.5 for 1, 1.5 and 2: %j', (operator, expected) => {
    const rule = ruleWith({ type: 'score-condition', operator, value: 1.5 });
    expect([1, 1.5, 2].map((score) => isDue(rule, { score: () => score }))).toEqual(expected);
  });

  test('uses the counted score, or the one under its nonce', () => {
    const score = (nonce: string | undefined) => (nonce === undefined ? 100 : { 'round-1': 1 }[nonce]);
    const of = (nonce?: string) => ({ type: 'score-condition', operator: 'gte', value: 50, nonce });
    expect(isDue(ruleWith(of()), { score })).toBe(true);
    expect(isDue(ruleWith(of('round-1')), { score })).toBe(false);
  });

  test.each(['gt', 'gte', 'lt', 'lte', 'eq', 'ne'])('%s is false without a score', (operator) => {
    expect(isDue(ruleWith({ type: 'score-condition', operator, value: 0 }), {})).toBe(false);
  });
});

test.each([
  ['xp', 'gte', 2, true],
  ['xp', 'gt', 2, false],
  ['mode', 'eq', 'night', true],
  ['open', 'ne', false, true],
  ['list', 'eq', 'night', false],
  ['missing', 'ne', 0, false],
])('a condition on the config: %s %s %j → %s', (key, operator, value, expected) => {
  const values = new Map<string, unknown>(
    Object.entries({ xp: 2, mode: 'night', open: true, list: ['night'] }),
  );
  const rule = ruleWith({ type: 'config-condition', key, operator, value });
  expect(isDue(rule, { config: (name) => values.get(name) })).toBe(expected);
});

describe('a condition on a state variable', () => {
  const state = {
    level: 3,
    name: 'Zoë',
    alive: true,
    nothing: null,
    hero: { bag: { gold: 10 } },
    list: [5, { deep: 6 }],
    'a.b': 'a key with a dot',
    '': 'the empty key',
  };

  test.each([
    ['level', 'eq', 3, true],
    ['level', 'ne', 3, false],
    ['level', 'gt', 2, true],
    ['level', 'gte', 4, false],
    ['level', 'lt', 4, true],
    ['level', 'lte', 2, false],
    ['name', 'eq', 'Zoë', true],
    ['name', 'ne', 'zoë', true],
    ['alive', 'eq', true, true],
    ['alive', 'ne', false, true],
    ['hero.bag.gold', 'gte', 10, true],
    ['list.0', 'eq', 5, true],
    ['list.1.deep', 'eq', 6, true],
  ])('%s %s %j → %s', (key, operator, value, expected) => {
    expect(isDue(ruleWith(stateCondition(key, operator, value)), { state: () => state })).toBe(expected);
  });

  test.each([
    ['level', 'eq', '3'],
    ['level', 'gt', '2'],
    ['name', 'gt', 'A'],
    ['alive', 'gte', true],
    ['alive', 'eq', 1],
    ['hero', 'eq', '[object Object]'],
  ])('%s %s %j is false: other types are unequal, and only numbers are ordered', (key, operator, value) => {
    expect(isDue(ruleWith(stateCondition(key, operator, value)), { state: () => state })).toBe(false);
  });

  test.each([
    'nothing',
    'missing',
    'hero.missing',
    'hero.bag.gold.more',
    'name.length',
    'list.9',
    'a.b',
    'hero.',
    '.hero',
    '..',
    '__proto__',
    '__proto__.constructor',
    'constructor',
    'constructor.name',
    'hero.__proto__.toString',
    'hasOwnProperty',
    'toString',
  ])('the key %s is not found, so that not even ne is true', (key) => {
    for (const operator of ['eq', 'ne', 'gt', 'gte', 'lt', 'lte']) {
      for (const value of [0, 'Object', true]) {
        expect(isDue(ruleWith(stateCondition(key, operator, value)), { state: () => state })).toBe(false);
      }
    }
  });

  test("an object's own key is found, whatever its name", () => {
    const odd: unknown = JSON.parse('{"__proto__":{"admin":1},"constructor":2,"hasOwnProperty":3}');
    for (const [key, value] of [
      ['__proto__.admin', 1],
      ['constructor', 2],
      ['hasOwnProperty', 3],
    ] as const) {
      expect(isDue(ruleWith(stateCondition(key, 'eq', value)), { state: () => odd })).toBe(true);
    }
  });

  test.each([[3], ['text'], [true], [null], [[]]])('a state that is %j has no variables', (value) => {
    expect(isDue(ruleWith(stateCondition('level', 'ne', 1)), { state: () => value })).toBe(false);
  });

  test('uses the state under its label', () => {
    const requested: string[] = [];
    isDue(ruleWith(stateCondition('level', 'eq', 1)), {
      state: (label) => {
        requested.push(label);
        return undefined;
      },
    });
    expect(requested).toEqual(['hero']);
  });
});

describe('the actions that are due', () => {
  test('are those whose conditions are all true, in the order of the rule', () => {
    const [rule] = ruleList.parse([
      {
        trigger: 't',
        actions: [
          { type: 'Notify', message: 'always' },
          { type: 'Notify', message: 'both', conditions: [atLeast(1), atLeast(5)] },
          { type: 'Notify', message: 'one of two', conditions: [atLeast(1), atLeast(50)] },
          { type: 'Notify', message: 'no condition', conditions: [] },
        ],
      },
    ]);
    const due = rule ? dueOf(rule, { value: 7 }) : [];
    expect(due.map((action) => 'message' in action && action.message)).toEqual([
      'always',
      'both',
      'no condition',
    ]);
  });

  test('do not include a score by ratio when no value was sent to multiply', () => {
    const [byRatio, byAmount] = ruleList.parse([
      { trigger: 't', actions: [{ type: 'UpdateScore', ratio: 2 }] },
      { trigger: 't', actions: [{ type: 'UpdateScore', amount: 2 }] },
    ]);
    expect(byRatio && dueOf(byRatio, {})).toEqual([]);
    expect(byAmount && dueOf(byAmount, {})).toHaveLength(1);
    expect(byRatio && dueOf(byRatio, { value: 0 })).toHaveLength(1);
  });
});

function atLeast(value: number) {
  return { type: 'payload-value-condition', operator: 'gte', value };
}

function stateCondition(key: string, operator: string, value: unknown) {
  return { type: 'state-variable-condition', label: 'hero', key, operator, value };
}

test('an event condition compares whether the event is active; one without an event is not met', () => {
  const running: Partial<Known> = { active: (event) => (event === 'fair' ? true : undefined) };
  const over: Partial<Known> = { active: () => false };
  const asked = (active: boolean, key = 'fair') => ruleWith({ type: 'event-condition', key, active });
  expect([isDue(asked(true), running), isDue(asked(false), running)]).toEqual([true, false]);
  expect([isDue(asked(true), over), isDue(asked(false), over)]).toEqual([false, true]);
  expect([isDue(asked(true, 'other'), running), isDue(asked(false, 'other'), running)]).toEqual([
    false,
    false,
  ]);
  expect(isDue(ruleWith({ type: 'event-condition', key: 'fair' }), running)).toBe(true);
});

/** A rule of one action with one condition. */
function ruleWith(condition: object): Rule {
  const [rule] = ruleList.parse([
    { trigger: 't', actions: [{ type: 'Notify', message: 'hi', conditions: [condition] }] },
  ]);
  if (!rule) throw new Error('no rule was parsed');
  return rule;
}

function isDue(rule: Rule, known: Partial<Known>): boolean {
  return dueOf(rule, known).length === 1;
}

/** The due actions when all facts are available. */
function dueOf(rule: Rule, given: Partial<Known>): Action[] {
  const known = { ...nothingKnown, ...given };
  const steps = dueActions(rule, {
    value: known.value,
    score: (nonce) => atOnce(known.score(nonce)),
    state: (label, key) => extractValues(JSON.stringify(known.state(label) ?? null), [key])[0],
    active: (event) => atOnce(known.active(event)),
    config: (key) => atOnce(known.config(key)),
    owned: (condition) => atOnce(known.owned(condition)),
  });
  const { done, value } = steps.next();
  if (!done) throw new Error('it waits for something');
  return value;
}

function* atOnce<Value>(value: Value): Generator<never, Value, void> {
  yield* [];
  return value;
}
