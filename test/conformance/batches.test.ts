import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listScores } from '../../src/features/scores/queries.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { apiOf } from '../support/api.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { db } = server.services;
const { gameId, gameSecret } = await server.createGame();
const batched = succeeded({ results: z.array(z.looseObject({ success: z.literal(true) })) });
const all = { limit: 250, skip: 0 };

const asServer = (operations: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  api.post('/launcher/batch', { operations, ...more }, { ...bearer(gameSecret), ...headers });
const setScore = (wallet: string | undefined, score: unknown) => ({
  method: 'setUserScore',
  data: { wallet, score },
});
const scoresOf = async (wallet: string) =>
  (await db.read(listScores, { gameId, wallet }, all)).map(({ score }) => score);

/** Everything that a batch could have changed. */
const standing = () =>
  Promise.all(
    [
      'players',
      'scores',
      'states',
      'activities',
      'notifications',
      'channel_sessions',
      'idempotency_keys',
      'events',
    ].map((table) => rowsIn(db, `SELECT count(*) AS ${table} FROM ${table}`, {})),
  );

describe('a batch', () => {
  it('patches small and large states together with its other writes, or none of them', async () => {
    const wallet = randomWallet();
    const filling = 'x'.repeat(40_000);
    const states = [
      { label: 'small', state: '{"level":1}' },
      { label: 'large', state: JSON.stringify({ filling, level: 1 }) },
    ];
    await api.post('/launcher/set-states', { wallet, states }, bearer(gameSecret));
    const patch = (label: string, level: number) => ({
      method: 'patchState',
      data: { wallet, label, patch: { level } },
    });
    const levels = async () =>
      (await db.read(listPlayerStates, { gameId, wallet }, all)).map(({ label, json }) => [
        label,
        JSON.parse(json).level,
      ]);
    await asServer([patch('small', 2), setScore(wallet, 2), patch('large', 2)]);
    expect(Object.fromEntries(await levels())).toEqual({ small: 2, large: 2 });
    expect(await scoresOf(wallet)).toEqual([2]);
    refused(
      await asServer([patch('small', 3), patch('large', 3), setScore(wallet, 'none')]),
      400,
      'score_not_finite',
    );
    const stale = { method: 'setState', data: { wallet, label: 'small', state: {}, ifVersion: 99 } };
    refused(await asServer([patch('large', 3), setScore(wallet, 3), stale]), 409, 'version_conflict');
    expect(Object.fromEntries(await levels())).toEqual({ small: 2, large: 2 });
    expect(await scoresOf(wallet)).toEqual([2]);
  });

  it('of a hundred operations for as many players is executed in order, in one call', async () => {
    const wallets = Array.from({ length: 99 }, randomWallet);
    const operations = [...wallets.map((wallet, at) => setScore(wallet, at)), setScore(wallets[0], 500)];
    const { results } = accepted(await asServer(operations), batched);
    expect(results.map(({ newScore }) => Object(newScore).score)).toEqual([...wallets.keys(), 500]);
    expect(await scoresOf(wallets[0] ?? '')).toEqual([500, 0]);
    expect(await scoresOf(wallets[98] ?? '')).toEqual([98]);
  });

  it('accepts every kind of write a match needs, and later ones see earlier ones', async () => {
    const vouched = await api.post('/launcher/vouch-for-player', { playerId: 'ada' }, bearer(gameSecret));
    const { wallet } = z.looseObject({ wallet: z.string() }).parse(vouched.body);
    const operations = [
      { method: 'openChannelSession' },
      { method: 'updatePlayerProfile', data: { wallet, username: 'Ada' } },
      { method: 'setState', data: { label: 'save', state: { level: 1 } } },
      { method: 'setState', data: { label: 'save', state: { level: 2 } } },
      { method: 'triggerRulesEngine', data: { trigger: 'win' } },
      { method: 'sendCustomActivity', data: { label: 'won', eventId: 'match' } },
      { method: 'notifyPlayers', data: { wallets: [wallet], message: 'Hi', type: 'success' } },
      { method: 'revokeChannelSession', data: { wallet } },
    ];
    const { results } = accepted(await asServer(operations, { wallet }), batched);
    expect(results[0]).toMatchObject({ launcherJwt: expect.any(String) });
    expect(results[1]).toMatchObject({ username: 'Ada' });
    expect(results.at(-1)).toMatchObject({ ended: 2 });
    const states = await db.read(listPlayerStates, { gameId, wallet }, all);
    expect(states).toHaveLength(1);
  });

  it.each([
    ['an invalid input', { method: 'setUserScore', data: { score: 'many' } }, 400, 'score_not_finite'],
    [
      'a refusal by the operation itself',
      { method: 'revokeChannelSession', data: { sessionId: 'none' } },
      401,
      'session_unknown',
    ],
    [
      'an invalid address',
      { method: 'setUserScore', data: { wallet: '0x12', score: 1 } },
      400,
      'address_invalid',
    ],
    ['an operation that reads', { method: 'getUserScore', data: {} }, 405, 'method_unknown'],
    ['a batch', { method: 'batch', data: { operations: [] } }, 405, 'method_unknown'],
    [
      'an operation of administrators',
      { method: 'createGame', data: { name: 'Mine' } },
      405,
      'method_unknown',
    ],
    ['a heartbeat, which keeps nothing', { method: 'channelHeartbeat', data: {} }, 405, 'method_unknown'],
    ['an unknown name', { method: 'constructor', data: {} }, 405, 'method_unknown'],
    [
      'a message in a player’s name',
      { method: 'sendChannelMessage', data: { channelId: 'c', content: 'x' } },
      401,
      'token_missing',
    ],
    [
      'a token of its own',
      { method: 'setUserScore', data: { launcherJwt: 'x', score: 1 } },
      400,
      'input_invalid',
    ],
  ] as const)(
    'of which one fails, with %s, changes nothing and says which',
    async (_what, failing, status, reason) => {
      const wallet = randomWallet();
      const before = await standing();
      const data = { wallet, ...failing.data };
      const operations = [
        setScore(wallet, 1),
        setScore(randomWallet(), 2),
        { ...failing, data },
        setScore(wallet, 3),
      ];
      const answer = await asServer(operations, {}, { 'Idempotency-Key': crypto.randomUUID() });
      const { message, errors = [] } = refused(answer, status, reason);
      expect(message).toMatch(/^operations\.2: /);
      expect(errors[0]?.path).toMatch(/^operations\.2(\.data\.|$)/);
      expect(await standing()).toEqual(before);
    },
  );

  it.each([
    ['none', []],
    ['more than a hundred', Array.from({ length: 101 }, () => setScore(randomWallet(), 1))],
    ['no list', 'all'],
    ['no method', [{ data: {} }]],
  ])('of %s is refused', async (_what, operations) => {
    refused(await asServer(operations), 400, 'input_invalid');
  });

  it('says of a write that is none of a batch to send it by itself', async () => {
    const friend = { method: 'addFriend', data: { wallet: randomWallet() } };
    const { message } = refused(await asServer([friend]), 405, 'method_unknown');
    expect(message).toBe('operations.0: addFriend cannot be in a batch: send it as a call of its own');
  });

  it("of a game's server without a wallet is told which operation lacks it", async () => {
    const answer = await asServer([setScore(randomWallet(), 1), setScore(undefined, 1)]);
    expect(refused(answer, 401, 'token_missing').message).toMatch(/^operations\.1: wallet is missing/);
  });

  it("of a player affects only the token's player, also over the socket", async () => {
    const player = await server.openSession(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const other = randomWallet();
    await launcher.call('batch', { operations: [setScore(other, 1), setScore(undefined, 2)] });
    expect(await scoresOf(player.wallet)).toEqual([2, 1]);
    expect(await scoresOf(other)).toEqual([]);
    const forServers = { method: 'notifyPlayers', data: { wallets: [other], message: 'x', type: 'error' } };
    const call = launcher.call('batch', { operations: [setScore(undefined, 3), forServers] });
    await expect(call).rejects.toMatchObject({ code: 401, data: { reason: 'secret_required' } });
    expect(await scoresOf(player.wallet)).toEqual([2, 1]);
  });

  it('is executed once under an idempotency key, and returns the same result again', async () => {
    const wallet = randomWallet();
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const operations = [
      setScore(wallet, 1),
      { method: 'sendNotification', data: { wallet, message: 'a text of its own', type: 'success' } },
      { method: 'sendCustomActivity', data: { wallet, label: 'a label of its own', eventId: 'match' } },
    ];
    const answers = await Promise.all(Array.from({ length: 10 }, () => asServer(operations, {}, headers)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    accepted(answers[0] ?? (await asServer([])), batched);
    expect(await scoresOf(wallet)).toEqual([1]);
    const kept = JSON.stringify(await rowsIn(db, 'SELECT result FROM idempotency_keys', {}));
    expect(kept).not.toContain('of its own');
    refused(await asServer(operations.slice(1), {}, headers), 409, 'idempotency_key_reused');
  });
});

it('a batch counts as many calls as it has operations', async () => {
  const policies = { limits: { write: { points: 10, seconds: 600 } } };
  await using limited = await startTestServer({ RATE_LIMIT_FACTOR: '1' });
  const { gameId: game } = await limited.createGame({ policies });
  const { launcherJwt } = await limited.openSession(game);
  const send = (count: number) =>
    apiOf(limited).post('/launcher/batch', {
      launcherJwt,
      operations: Array.from({ length: count }, () => setScore(undefined, 1)),
    });
  accepted(await send(6), batched);
  refused(await send(5), 429, 'rate_limited');
});
