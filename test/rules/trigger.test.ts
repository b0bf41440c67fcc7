import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeGame } from '../../src/features/administration/commands.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { stateContentId, stateText } from '../../src/features/states/queries.ts';
import { post } from '../support/http.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';

describe('triggering the rules engine', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  /** A player of a new game with these rules. */
  const playerUnder = async (rules: unknown): Promise<TestPlayer> => {
    const { gameId } = await server.createGame();
    await server.services.db.write(replaceRules, gameId, ruleList.parse(rules));
    return server.openSession(gameId);
  };
  const call = (path: string, { launcherJwt }: TestPlayer, body: object = {}) =>
    post(`${server.url}/launcher/${path}`, { launcherJwt, ...body });
  const trigger = (player: TestPlayer, body: object) => call('trigger-rules-engine', player, body);
  const accepted = async (player: TestPlayer, body: object) => {
    const answer = await trigger(player, body);
    expect(answer.status).toBe(200);
    return (answer.body as { actions: string[] }).actions;
  };
  const scoreOf = async (player: TestPlayer, nonce: string) => {
    const { body } = await call('get-user-scores', player, { nonce });
    return (body as { scores: { score: number }[] }).scores[0]?.score;
  };

  test('returns the accepted actions, and each of them reaches the launcher or the feed', async () => {
    const player = await playerUnder([
      {
        trigger: 'win',
        actions: [
          { type: 'Notify', message: '{username} got {value}', notificationType: 'error' },
          { type: 'SendCustomActivity', label: '{username} won {value} of {nonce}', eventId: 'win' },
          { type: 'UpdateScore', amount: 5 },
        ],
      },
      { trigger: 'lose', actions: [{ type: 'Notify', message: 'never' }] },
      { trigger: 'win', actions: [{ type: 'UpdateScore', mode: 'add', ratio: 2, nonce: 'sum' }] },
    ]);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const answer = await trigger(player, { trigger: 'win', value: 21, nonce: 'round 1' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        triggerUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        actions: ['Notify', 'SendCustomActivity', 'UpdateScore', 'UpdateScore'],
      },
    });
    const name = `${player.wallet.slice(0, 6)}…${player.wallet.slice(-4)}`;
    const { record } = await launcher.waitForEvent('notifications created');
    expect(record).toMatchObject({ message: `${name} got 21`, type: 'error' });
    const feed = await (await fetch(`${server.url}/activities?gameId=${player.gameId}`)).json();
    expect(feed.result.data).toMatchObject([{ displayText: `${name} won 21 of round 1`, eventId: 'win' }]);
    expect(await scoreOf(player, 'rules')).toBe(5);
    expect(await scoreOf(player, 'sum')).toBe(42);
  });

  test('publishes no listed words that the player sent, and nothing that a muted player sent', async () => {
    const label = 'a darn good {value} of {nonce}';
    const player = await playerUnder([
      {
        trigger: 'win',
        actions: [
          { type: 'SendCustomActivity', label, eventId: 'win' },
          { type: 'UpdateScore', amount: 5 },
        ],
      },
      { trigger: 'start', actions: [{ type: 'SendCustomActivity', label: 'started', eventId: 'start' }] },
    ]);
    const { db } = server.services;
    const wordFilter = { action: 'reject' as const, words: ['darn', 'bad'] };
    await db.write(changeGame, player.gameId, { policies: { wordFilter } });
    const dispatched = (body: object) =>
      post(
        `${server.url}/launcher`,
        { launcherJwt: player.launcherJwt, ...body },
        { 'X-Service-Method': 'triggerRulesEngine' },
      );
    await dispatched({ trigger: 'win', value: 'bad_luck', nonce: 'too bad' });
    const shown = async () => {
      const feed = await (await fetch(`${server.url}/activities?gameId=${player.gameId}`)).json();
      return feed.result.data.map(({ displayText }: { displayText: string }) => displayText);
    };
    expect(await shown()).toEqual(['a darn good ***_luck of too ***']);
    await db.write(mute, player, null, 'server', { seconds: 60, reason: '' });
    const muted = await dispatched({ trigger: 'win', value: 'fine' });
    expect(muted.body).toMatchObject({ actions: ['UpdateScore'] });
    await dispatched({ trigger: 'win', value: 7 });
    await dispatched({ trigger: 'start', nonce: 'fine' });
    expect(await shown()).toEqual(['started', 'a darn good 7 of ', 'a darn good ***_luck of too ***']);
  });

  test('evaluates conditions on what the player set before', async () => {
    const player = await playerUnder([
      {
        trigger: 'open',
        actions: [
          {
            type: 'Notify',
            message: 'opened',
            conditions: [
              { type: 'payload-value-condition', operator: 'gte', value: 3 },
              { type: 'score-condition', operator: 'gt', value: 100 },
              { type: 'state-variable-condition', label: 'hero', key: 'bag.keys', operator: 'gte', value: 1 },
              {
                type: 'state-variable-condition',
                label: 'hero',
                key: '__proto__.admin',
                operator: 'eq',
                value: true,
              },
            ],
          },
        ],
      },
    ]);
    const open = () => accepted(player, { trigger: 'open', value: 3 });
    expect(await open()).toEqual([]);
    await call('set-user-score', player, { score: 101 });
    expect(await open()).toEqual([]);
    await call('set-state', player, { label: 'hero', state: '{"bag":{"keys":1}}' });
    expect(await open()).toEqual([]);
    await call('set-state', player, {
      label: 'hero',
      state: '{"bag":{"keys":1},"__proto__":{"admin":true}}',
    });
    expect(await open()).toEqual(['Notify']);
    expect(await accepted(player, { trigger: 'open', value: 2 })).toEqual([]);
    expect(await accepted(player, { trigger: 'open' })).toEqual([]);
  });

  describe('while a state changes between its evaluation and the write', () => {
    const rules = [
      {
        trigger: 'open',
        actions: [
          {
            type: 'UpdateScore',
            mode: 'add',
            amount: 1,
            nonce: 'opened',
            conditions: [
              { type: 'state-variable-condition', label: 'hero', key: 'n', operator: 'gte', value: 2 },
            ],
          },
        ],
      },
    ];
    /** Changes the state during the first `times` reads; returns the number of reads, and the response. */
    const openWhileChanging = async (times: number) => {
      const player = await playerUnder(rules);
      const set = (n: number) => call('set-state', player, { label: 'hero', state: `{"n":${n}}` });
      await set(0);
      const looks = interceptReads(server.services.db, stateContentId, {
        after: (look) => (look <= times ? set(look) : undefined),
      });
      const answer = await trigger(player, { trigger: 'open' });
      looks.restore();
      return { player, answer, looks: looks.calls };
    };

    test('evaluates again on the current state', async () => {
      const { player, answer, looks } = await openWhileChanging(2);
      expect(answer).toMatchObject({ status: 200, body: { actions: ['UpdateScore'] } });
      expect(looks).toBe(3);
      expect(await scoreOf(player, 'opened')).toBe(1);
    });

    test('rereads when it was replaced before its text was read, and never treats its values as missing', async () => {
      const label = 'hero';
      const ne = { type: 'state-variable-condition', label, key: 'n', operator: 'ne', value: 1_000 };
      const action = { type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'opened', conditions: [ne] };
      const player = await playerUnder([{ trigger: 'open', actions: [action] }]);
      const set = (n: number) => call('set-state', player, { label, state: `{"n":${n}}` });
      await set(0);
      const looks = interceptReads(server.services.db, stateText, {
        before: (_, look) => (look === 1 ? set(1) : undefined),
      });
      expect(await accepted(player, { trigger: 'open' })).toEqual(['UpdateScore']);
      looks.restore();
      expect(looks.calls).toBe(2);
    });

    test('gives up when it keeps changing, does nothing, and says to retry', async () => {
      const { player, answer, looks } = await openWhileChanging(Number.POSITIVE_INFINITY);
      expect(answer).toMatchObject({ status: 409, body: { data: { reason: 'states_changed' } } });
      // Five evaluations, each of which reads at most five times.
      expect(looks).toBeGreaterThanOrEqual(5);
      expect(looks).toBeLessThanOrEqual(25);
      expect(await scoreOf(player, 'opened')).toBeUndefined();
    });
  });

  test('executes a limited rule exactly as often as allowed under 50 concurrent calls', async () => {
    const player = await playerUnder([
      {
        trigger: 'tap',
        limitExecutions: { amount: 7 },
        actions: [{ type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'taps' }],
      },
    ]);
    const answers = await Promise.all(Array.from({ length: 50 }, () => accepted(player, { trigger: 'tap' })));
    expect(answers.filter((actions) => actions.length === 1)).toHaveLength(7);
    expect(await scoreOf(player, 'taps')).toBe(7);
  });

  test('executes a nonce once for 50 concurrent calls, in both calling styles', async () => {
    const player = await playerUnder([
      { trigger: 'tap', actions: [{ type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'taps' }] },
    ]);
    const body = { launcherJwt: player.launcherJwt, trigger: 'tap', nonce: 'once', value: 3 };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 2
          ? post(`${server.url}/launcher/trigger-rules-engine`, body)
          : post(`${server.url}/launcher`, body, { 'X-Service-Method': 'triggerRulesEngine' }),
      ),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: answers[0]?.body });
    expect(answers[0]?.body).toMatchObject({ success: true, actions: ['UpdateScore'] });
    expect(await scoreOf(player, 'taps')).toBe(1);
  });

  test.each([{ trigger: 'tap', value: 4 }, { trigger: 'tap' }, { trigger: 'other', value: 3 }])(
    'a nonce used before is 409 with %j, and does nothing',
    async (other) => {
      const player = await playerUnder([
        { trigger: 'tap', actions: [{ type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'taps' }] },
      ]);
      await trigger(player, { trigger: 'tap', value: 3, nonce: 'n' });
      expect(await trigger(player, { ...other, nonce: 'n' })).toMatchObject({
        status: 409,
        body: { success: false, name: 'Conflict', code: 409, data: { reason: 'nonce_reused' } },
      });
      expect(await scoreOf(player, 'taps')).toBe(1);
    },
  );

  test('an empty nonce counts as none, so that each call counts', async () => {
    const player = await playerUnder([
      { trigger: 'tap', actions: [{ type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'taps' }] },
    ]);
    for (let n = 0; n < 3; n++) await trigger(player, { trigger: 'tap', nonce: '' });
    expect(await scoreOf(player, 'taps')).toBe(3);
  });

  test('notifications of rules stay within the length limit, however templates are filled in', async () => {
    const player = await playerUnder([
      { trigger: 'long', actions: [{ type: 'Notify', message: `${'x'.repeat(980)}{username}{nonce}` }] },
      { trigger: 'short', actions: [{ type: 'Notify', message: '{nonce}' }] },
    ]);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    await trigger(player, { trigger: 'long', nonce: 'y'.repeat(200) });
    await trigger(player, { trigger: 'short' });
    await call('set-user-score', player, { score: 1 });
    await launcher.waitForEvent('scores created');
    const told = launcher.received.filter(({ name }) => name === 'notifications created');
    for (const { record } of told) {
      expect(String(record.message).length).toBeGreaterThanOrEqual(1);
      expect([...String(record.message)].length).toBeLessThanOrEqual(1_000);
    }
  });
});
