import { describe, expect, test } from 'vitest';
import { ruleList } from '../../src/features/rules/rule.ts';
import { submittedRules } from '../../src/features/rules/rule-bounds.ts';

const notify = { type: 'Notify', message: 'hi' };

describe('the error for an invalid rule says where and why', () => {
  test.each(['MintERC20', 'TransferERC721', 'MintERC1155', 'notify', '', 5, undefined])(
    'an action of type %j: the error lists the known types',
    (type) => {
      const [issue] = problemsWith([
        { trigger: 't', actions: [notify, { type, amount: '1', to: '{wallet}' }] },
      ]);
      expect(issue?.path).toEqual(['0', 'actions', '1', 'type'].slice(0, issue?.path.length));
      expect(issue?.message).toContain(String(JSON.stringify(type)));
      expect(issue?.message).toMatch(/Notify, SendCustomActivity, UpdateScore.*CallContract/);
    },
  );

  test('a condition of an unknown type: the error lists the known ones', () => {
    const condition = { type: 'weather-condition', contract: `0x${'ab'.repeat(20)}`, amount: 1 };
    const [issue] = problemsWith([{ trigger: 't', actions: [{ ...notify, conditions: [condition] }] }]);
    expect(issue?.path.slice(0, 5)).toEqual(['0', 'actions', '0', 'conditions', '0']);
    expect(issue?.message).toMatch(/payload-value-condition.*score-condition.*user-owns-tokens/);
  });

  const contract = `0x${'ab'.repeat(20)}`;
  const call = { type: 'CallContract', chainId: 1, contract, function: 'function f(uint256 a)', args: ['1'] };
  const mint = { type: 'IssueToken', chainId: 1, contract, amount: '1' };
  test.each([
    ['an invalid signature', { ...call, function: 'f(' }, /ABI signature/],
    ['a signature of an event', { ...call, function: 'event E()' }, /ABI signature/],
    ['too few arguments', { ...call, args: [] }, /takes 1 arguments, but 0 were given/],
    [
      'an argument no text can be',
      { ...call, function: 'function f((uint256 a) b)' },
      /parameter of type tuple/,
    ],
    ['an invalid error', { ...call, errors: ['error ('] }, /error NotYours/],
    ['a float as an amount', { ...mint, amount: 1.5 }, /string/],
    ['an amount that is not a number', { ...mint, amount: '1e18' }, /decimal number/],
    ['neither amount nor ratio', { ...mint, amount: undefined }, /either amount/],
    ['a contract that is not an address', { ...mint, contract: '0x12' }, /40 hex digits/],
    [
      'an achievement without its chain',
      { type: 'GrantAchievementToken', achievement: '1', contract },
      /chainId and contract/,
    ],
    [
      'a token condition without its token id',
      { ...notify, conditions: [{ type: 'user-owns-tokens', standard: 'erc1155', chainId: 1, contract }] },
      /required with the standard erc1155/,
    ],
  ])('%s', (_what, action, words) => {
    const messages = problemsWith([{ trigger: 't', actions: [action] }]).map(({ message }) => message);
    expect(messages.join('\n')).toMatch(words);
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
    ['a score that is not a number', [{ trigger: 't', actions: [{ type: 'UpdateScore', amount: '1' }] }]],
    ['an endless ratio', [{ trigger: 't', actions: [{ type: 'UpdateScore', ratio: 1e300 }] }]],
    ['an unknown mode', [{ trigger: 't', actions: [{ type: 'UpdateScore', amount: 1, mode: 'subtract' }] }]],
  ])('%s', (_what, rules) => {
    const [issue] = problemsWith(rules);
    expect(issue?.message).toMatch(/\w+ \w+/);
  });
});

describe('submitted rules are limited in what a trigger costs', () => {
  const payload = { type: 'payload-value-condition', operator: 'gt', value: 1 };
  const about = (label: string) => ({
    type: 'state-variable-condition',
    label,
    key: 'k',
    operator: 'eq',
    value: 1,
  });
  const times = <T>(count: number, make: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => make(n));
  const under = (conditions: object[], trigger = 't') => ({ trigger, actions: [{ ...notify, conditions }] });
  const call = (label: string) => ({
    type: 'CallContract',
    chainId: 1,
    contract: `0x${'12'.repeat(20)}`,
    function: 'function f(string s)',
    args: [`{state.${label}.k}`],
  });

  test.each<[string, object[], object[], string]>([
    [
      'conditions of a rule',
      [under(times(100, () => payload))],
      [under(times(101, () => payload))],
      '0.actions',
    ],
    [
      'conditions of a trigger',
      times(2, () => under(times(100, () => payload))),
      times(3, () => under(times(67, () => payload))),
      '2',
    ],
    [
      'actions of a trigger',
      times(10, () => ({ trigger: 't', actions: times(20, () => notify) })),
      times(11, () => ({ trigger: 't', actions: times(20, () => notify) })),
      '10',
    ],
    [
      'states of a trigger',
      [under(times(20, (n) => about(`${n}`))), under([about('elsewhere')], 'other')],
      times(21, (n) => under([about(`${n}`)])),
      '20',
    ],
    [
      'states in templates',
      [{ trigger: 't', actions: times(20, (n) => call(`s${n}`)) }],
      [{ trigger: 't', actions: times(20, (n) => call(`s${n}`)) }, under([about('another')])],
      '1',
    ],
    [
      'characters of all rules',
      times(500, (n) => under([], `${n}`.padEnd(150, 'x'))),
      times(500, (n) => ({ ...under([], `${n}`), actions: [{ ...notify, message: 'x'.repeat(1_000) }] })),
      '',
    ],
  ])('%s', (_what, most, tooMuch, path) => {
    expect(submittedRules.safeParse(most).error).toBeUndefined();
    const { error } = submittedRules.safeParse(tooMuch);
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([
      [
        path,
        expect.stringMatching(/must (have|refer to) at most \d+ (actions|conditions|states|characters)/),
      ],
    ]);
    expect(ruleList.safeParse(tooMuch).error).toBeUndefined(); // as earlier versions may have stored them
  });
});

function problemsWith(rules: unknown): { path: string[]; message: string }[] {
  const result = ruleList.safeParse(rules);
  if (result.success) throw new Error('the rules were accepted');
  return result.error.issues.map(({ path, message }) => ({ path: path.map(String), message }));
}
