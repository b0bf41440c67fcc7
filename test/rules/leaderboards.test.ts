import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import {
  addLeaderboard,
  deleteLeaderboard,
  endSeason,
} from '../../src/features/scores/leaderboard-commands.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const usual = {
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: [],
  schedule: null,
  keepSeasons: null,
} as const;

const unknown = (name: string) =>
  `the game has no leaderboard called ${name}; create it, or use an existing one`;

describe('rules on leaderboards with a name', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  async function playerUnder(rules: unknown, board: object = {}): Promise<TestPlayer> {
    const { gameId } = await server.createGame();
    await server.services.db.write(addLeaderboard, gameId, {
      ...usual,
      labels: [],
      name: 'weekly',
      ...board,
    });
    await server.services.db.write(replaceRules, gameId, ruleList.parse(rules));
    return server.openSession(gameId);
  }
  const call = (path: string, { launcherJwt }: TestPlayer, body: object = {}) =>
    post(`${server.url}/launcher/${path}`, { launcherJwt, ...body });
  const triggered = async (player: TestPlayer, body: object) => {
    const { status, body: answer } = await call('trigger-rules-engine', player, body);
    expect(status).toBe(200);
    return (answer as { actions: string[] }).actions;
  };
  const scoreOn = async (player: TestPlayer, leaderboard?: string) => {
    const { body } = await call('get-user-score', player, { ...(leaderboard && { leaderboard }) });
    return (body as { score: { score: number; season?: number } | null }).score;
  };
  const admin = (path: string, body: object) =>
    post(`${server.url}/admin/${path}`, body, bearer(server.adminToken));

  test('UpdateScore sets and adds on the named one, in the current season, and on no other', async () => {
    const player = await playerUnder([
      { trigger: 'set', actions: [{ type: 'UpdateScore', ratio: 2, leaderboard: 'weekly', nonce: 'a' }] },
      {
        trigger: 'add',
        actions: [{ type: 'UpdateScore', mode: 'add', amount: 5, leaderboard: 'weekly', nonce: 'a' }],
      },
      { trigger: 'default', actions: [{ type: 'UpdateScore', amount: 1, leaderboard: 'default' }] },
    ]);
    expect(await triggered(player, { trigger: 'set', value: 10 })).toEqual(['UpdateScore']);
    await triggered(player, { trigger: 'add' });
    await triggered(player, { trigger: 'add' });
    expect(await scoreOn(player, 'weekly')).toMatchObject({ score: 30, season: 1 });
    expect(await scoreOn(player)).toBeNull();
    await server.services.db.write(endSeason, player.gameId, 'weekly');
    await triggered(player, { trigger: 'add' });
    expect(await scoreOn(player, 'weekly')).toMatchObject({ score: 5, season: 2 });
    await triggered(player, { trigger: 'default' });
    expect(await scoreOn(player)).toMatchObject({ score: 1 });
  });

  test.each([
    ['what counts of each', { keep: 'best', order: 'desc' }, [7, 3], undefined, 7],
    ['the best where less is better', { keep: 'best', order: 'asc' }, [7, 3], undefined, 3],
    ['the latest', { keep: 'latest', order: 'asc' }, [3, 7], undefined, 7],
    ['a sum', { keep: 'sum', order: 'asc' }, [7, 3], undefined, 10],
    ['the best of several entries', { entries: 'all', order: 'asc' }, [7, 3, 5], undefined, 3],
    ['the record under a nonce', { keep: 'best', order: 'desc' }, [7, 3], 'score 1', 3],
  ])('score-condition compares %s on the named one', async (_what, board, scores, nonce, counts) => {
    const condition = (operator: string, value: number) => ({
      type: 'score-condition',
      leaderboard: 'weekly',
      operator,
      value,
      ...(nonce && { nonce }),
    });
    const player = await playerUnder(
      [
        {
          trigger: 'look',
          actions: [
            { type: 'Notify', message: 'is', conditions: [condition('eq', counts)] },
            { type: 'PostWindowMessage', message: 'is not', conditions: [condition('ne', counts)] },
          ],
        },
      ],
      board,
    );
    // Of `default`, which is not used.
    await call('set-user-score', player, { score: 1_000 });
    expect(await triggered(player, { trigger: 'look' })).toEqual([]);
    for (const [index, score] of scores.entries())
      await call('set-user-score', player, { score, leaderboard: 'weekly', nonce: `score ${index}` });
    expect(await triggered(player, { trigger: 'look' })).toEqual(['Notify']);
    await server.services.db.write(endSeason, player.gameId, 'weekly');
    expect(await triggered(player, { trigger: 'look' })).toEqual([]);
  });

  test('an unknown one is refused when rules are saved, naming the position', async () => {
    const { gameId } = await server.createGame();
    const rules = [
      { trigger: 'a', actions: [{ type: 'UpdateScore', amount: 1 }] },
      {
        trigger: 'b',
        actions: [
          {
            type: 'UpdateScore',
            amount: 1,
            leaderboard: 'weekly',
            conditions: [{ type: 'score-condition', operator: 'gt', value: 1, leaderboard: 'daily' }],
          },
        ],
      },
    ];
    expect(await admin('set-rules', { gameId, rules })).toMatchObject({
      status: 400,
      body: {
        data: { reason: 'rule_invalid' },
        errors: [
          { path: 'rules.1.actions.0.leaderboard', message: unknown('weekly') },
          {
            path: 'rules.1.actions.0.conditions.0.leaderboard',
            message: unknown('daily'),
          },
        ],
      },
    });
    for (const name of ['weekly', 'daily'])
      await server.services.db.write(addLeaderboard, gameId, { ...usual, labels: [], name });
    expect((await admin('set-rules', { gameId, rules })).status).toBe(200);
  });

  test('one removed since: its action is skipped, the others run, and a dry run says why', async () => {
    const player = await playerUnder([
      {
        trigger: 'win',
        actions: [
          { type: 'UpdateScore', amount: 1, leaderboard: 'weekly' },
          { type: 'Notify', message: 'won' },
        ],
      },
    ]);
    await server.services.db.write(deleteLeaderboard, player.gameId, 'weekly');
    expect(await triggered(player, { trigger: 'win' })).toEqual(['Notify']);
    const { body } = await admin('test-rules', {
      gameId: player.gameId,
      wallet: player.wallet,
      trigger: 'win',
    });
    expect(body).toMatchObject({
      actions: [
        { type: 'UpdateScore', fires: false, why: 'the game has no leaderboard called weekly' },
        { type: 'Notify', fires: true },
      ],
    });
  });

  test('a rule without one is stored as before, so that its execution count continues', () => {
    const rule = { trigger: 'win', actions: [{ type: 'UpdateScore', amount: 1 }] };
    expect(JSON.stringify(ruleList.parse([rule]))).toBe(
      '[{"trigger":"win","actions":[{"type":"UpdateScore","mode":"set","amount":1,"nonce":"rules"}]}]',
    );
  });
});
