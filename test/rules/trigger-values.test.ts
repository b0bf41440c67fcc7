import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { type Caller, type CallStyle, callStyles } from '../support/call-styles.ts';
import { connectLauncher } from '../support/launcher.ts';
import { operationNamed } from '../support/registered.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';

const operation = operationNamed('triggerRulesEngine');

/** What a game may send as a trigger's value, which templates print and conditions compare. */
const rules = ruleList.parse([
  {
    trigger: 'said',
    actions: [
      { type: 'Notify', message: 'Said {value}' },
      {
        type: 'SendCustomActivity',
        label: 'large',
        eventId: 'large',
        conditions: [{ type: 'payload-value-condition', operator: 'gte', value: 10 }],
      },
      { type: 'UpdateScore', ratio: 2, nonce: 'doubled' },
    ],
  },
]);

let server: TestServer;
let player: TestPlayer;
beforeAll(async () => {
  server = await startTestServer();
  const { gameId } = await server.createGame();
  await server.services.db.write(replaceRules, gameId, rules);
  player = await server.openSession(gameId);
});
afterAll(() => server.close());

const { 'dedicated HTTP': dedicated, ...others } = callStyles;

describe.each(Object.entries<CallStyle>(others))('over %s', (_, connect) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await connect(server.url);
  });
  afterAll(() => caller[Symbol.dispose]());
  const trigger = (input: object) =>
    caller.call(operation, { launcherJwt: player.launcherJwt, trigger: 'said', ...input });

  test.each([
    ['a number', 12, ['Notify', 'SendCustomActivity', 'UpdateScore']],
    ['a fraction', 0.5, ['Notify', 'UpdateScore']],
    ['a text that is a number', '12.5', ['Notify', 'SendCustomActivity', 'UpdateScore']],
    ['a text that is a small number', '-3', ['Notify', 'UpdateScore']],
    ['a text that is not a number', 'twelve', ['Notify']],
    ['a text that only begins with a number', '12 apples', ['Notify']],
    ['a text that is too large a number', '1e300', ['Notify']],
    ['an empty text, which counts as none', '', ['Notify']],
  ])('a value may be %s: a numeric condition is true for numbers only', async (_kind, value, actions) => {
    expect((await trigger({ value })).body).toMatchObject({ success: true, actions });
  });

  test('a nonce returns the first result again for the same text only', async () => {
    const nonce = crypto.randomUUID();
    const first = await trigger({ value: 'north', nonce });
    expect((await trigger({ value: 'north', nonce })).body).toEqual(first.body);
    expect((await trigger({ value: 'south', nonce })).body).toMatchObject({
      data: { reason: 'nonce_reused' },
    });
    expect((await trigger({ nonce })).body).toMatchObject({ data: { reason: 'nonce_reused' } });
  });

  test.each([true, ['north'], { north: 1 }, 'x'.repeat(1_001), 1e300])(
    '%j is not a valid value',
    async (value) => {
      expect(await trigger({ value })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'value', message: expect.stringMatching(/^must be a(t most| number)/) }] },
      });
    },
  );
});

test('on its dedicated path a value remains an integer', async () => {
  using caller = await dedicated(server.url);
  for (const value of ['12', 'twelve', 0.5]) {
    const { status } = await caller.call(operation, {
      launcherJwt: player.launcherJwt,
      trigger: 'said',
      value,
    });
    expect(status).toBe(400);
  }
});

test('templates print the text', async () => {
  const { gameId } = await server.createGame();
  await server.services.db.write(replaceRules, gameId, rules);
  const ada = await server.openSession(gameId);
  using caller = await others['method dispatch'](server.url);
  using launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  await caller.call(operation, { launcherJwt: ada.launcherJwt, trigger: 'said', value: 'höher ✓' });
  const { record } = await launcher.waitForEvent('notifications created');
  expect(record.message).toBe('Said höher ✓');
});
