import { describe, expect, test } from 'vitest';
import { ruleList } from '../../src/rules/rule.ts';

const notify = { type: 'Notify', message: 'hi' };

describe('a rule that is refused says where and why', () => {
  test.each(['MintERC20', 'TransferERC721', 'MintERC1155', 'CallContract', 'notify', '', 5, undefined])(
    'an action of type %j: on-chain actions are named as what this server does not run',
    (type) => {
      const [issue] = problemsWith([
        { trigger: 't', actions: [notify, { type, amount: '1', to: '{wallet}' }] },
      ]);
      expect(issue?.path).toEqual(['0', 'actions', '1', 'type'].slice(0, issue?.path.length));
      expect(issue?.message).toContain(String(JSON.stringify(type)));
      expect(issue?.message).toMatch(/Notify, SendCustomActivity and UpdateScore.*on-chain/);
    },
  );

  test.each([
    ['user-owns-tokens', /user-owns-tokens/],
    ['weather-condition', /payload-value-condition.*score-condition.*state-variable-condition/],
  ])('a condition of type %s, which this server cannot judge', (type, words) => {
    const condition = { type, contract: `0x${'ab'.repeat(20)}`, amount: 1 };
    const [issue] = problemsWith([{ trigger: 't', actions: [{ ...notify, conditions: [condition] }] }]);
    expect(issue?.path.slice(0, 5)).toEqual(['0', 'actions', '0', 'conditions', '0']);
    expect(issue?.message).toMatch(words);
  });

  test.each([
    ['no list', { trigger: 't', actions: [notify] }],
    ['no trigger', [{ actions: [notify] }]],
    ['an empty trigger', [{ trigger: '', actions: [notify] }]],
    ['no actions', [{ trigger: 't' }]],
    ['an empty list of actions', [{ trigger: 't', actions: [] }]],
    ['more actions than 20', [{ trigger: 't', actions: Array.from({ length: 21 }, () => notify) }]],
    ['a misspelt field', [{ trigger: 't', limitExecution: { amount: 1 }, actions: [notify] }]],
    ['a misspelt field of an action', [{ trigger: 't', actions: [{ ...notify, condition: [] }] }]],
    ['an empty message', [{ trigger: 't', actions: [{ ...notify, message: '' }] }]],
    [
      'a message of 1,001 characters',
      [{ trigger: 't', actions: [{ ...notify, message: 'x'.repeat(1_001) }] }],
    ],
    ['an unknown notification type', [{ trigger: 't', actions: [{ ...notify, notificationType: 'info' }] }]],
    ['a limit of 0', [{ trigger: 't', limitExecutions: { amount: 0 }, actions: [notify] }]],
    ['a limit of 1.5', [{ trigger: 't', limitExecutions: { amount: 1.5 }, actions: [notify] }]],
    [
      'a limit without an amount',
      [{ trigger: 't', limitExecutions: { resetInterval: 5 }, actions: [notify] }],
    ],
    [
      'a negative interval',
      [{ trigger: 't', limitExecutions: { amount: 1, resetInterval: -5 }, actions: [notify] }],
    ],
    ['a score of neither amount nor ratio', [{ trigger: 't', actions: [{ type: 'UpdateScore' }] }]],
    ['a score of both', [{ trigger: 't', actions: [{ type: 'UpdateScore', amount: 1, ratio: 1 }] }]],
    ['a score that is no number', [{ trigger: 't', actions: [{ type: 'UpdateScore', amount: '1' }] }]],
    ['an endless ratio', [{ trigger: 't', actions: [{ type: 'UpdateScore', ratio: 1e300 }] }]],
    ['an unknown mode', [{ trigger: 't', actions: [{ type: 'UpdateScore', amount: 1, mode: 'subtract' }] }]],
  ])('%s', (_what, rules) => {
    const [issue] = problemsWith(rules);
    expect(issue?.message).toMatch(/\w+ \w+/);
  });
});

function problemsWith(rules: unknown): { path: string[]; message: string }[] {
  const result = ruleList.safeParse(rules);
  if (result.success) throw new Error('the rules were taken');
  return result.error.issues.map(({ path, message }) => ({ path: path.map(String), message }));
}
