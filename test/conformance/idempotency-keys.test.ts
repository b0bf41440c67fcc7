import { afterAll, describe, expect, it } from 'vitest';
import { trimIdempotencyKeys } from '../../src/features/idempotency/commands.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { apiOf } from '../support/api.ts';
import { isOnPostgres } from '../support/engine.ts';
import { connectLauncher } from '../support/launcher.ts';
import { refused } from '../support/outcome.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bearer } from '../support/world.ts';

// Nodes on PostgreSQL need a Redis, those on one file do not.
const redis = isOnPostgres && redisMissing === null ? await startRedis() : null;
const directory = await temporaryDirectory();
const settings = {
  DATA_DIR: directory.path,
  PUBLIC_URL: 'https://gantry.example',
  ...(redis && { REDIS_URL: redis.url }),
};
const nodes: readonly TestServer[] = [await startTestServer(settings), await startTestServer(settings)];
const [server, other] = nodes as [TestServer, TestServer];
afterAll(async () => {
  for (const node of nodes) await node.close();
  await redis?.[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
const { db } = server.services;
const { gameId, gameSecret } = await server.createGame();
const api = apiOf(server);

const keyed = (key: string) => ({ 'Idempotency-Key': key });
const newKey = () => crypto.randomUUID();
const scoresOf = async (wallet: string) =>
  (await db.read(listScores, { gameId, wallet }, { limit: 250, skip: 0 })).map(({ score }) => score);

describe('a write with an idempotency key', () => {
  it('is executed once when sent concurrently to two nodes, and always returns the same', async () => {
    const wallet = randomWallet();
    const headers = { ...bearer(gameSecret), ...keyed(newKey()) };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        apiOf(at % 2 === 0 ? server : other).post('/launcher/set-user-score', { wallet, score: 9 }, headers),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await scoresOf(wallet)).toEqual([9]);
  });

  it('is executed again with another key, and without one', async () => {
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const send = (headers = {}) => api.post('/launcher/set-user-score', { launcherJwt, score: 1 }, headers);
    const key = newKey();
    for (const headers of [keyed(key), keyed(key), keyed(newKey()), {}, {}]) await send(headers);
    expect(await scoresOf(wallet)).toHaveLength(4);
  });

  it('may carry the key in the data, over a socket and over HTTP', async () => {
    const { launcherJwt, wallet } = await server.openSession(gameId);
    using launcher = await connectLauncher(other.url, { launcherJwt });
    const data = { score: 3, idempotencyKey: newKey() };
    const first = await launcher.call('setUserScore', data);
    expect(await launcher.call('setUserScore', data)).toEqual(first);
    const overHttp = await api.dispatch('setUserScore', { launcherJwt, ...data });
    expect(overHttp.body).toEqual(first);
    expect(await scoresOf(wallet)).toEqual([3]);
  });

  it('patches a state once, small or large, and returns the same until the next write', async () => {
    for (const filling of ['', 'x'.repeat(40_000)]) {
      const { launcherJwt } = await server.openSession(gameId);
      const call = (node: TestServer, method: string, data: object, key?: string) =>
        apiOf(node).dispatch(
          method,
          { launcherJwt, label: 'save', ...data },
          key ? { headers: keyed(key) } : {},
        );
      await call(server, 'setState', { state: { filling, level: 1 } });
      const key = newKey();
      const patch = (node = server) => call(node, 'patchState', { patch: { level: 2 }, ifVersion: 1 }, key);
      const first = await patch();
      expect(first.body).toMatchObject({ newState: { version: 2, state: { filling, level: 2 } } });
      expect([(await patch()).body, (await patch(other)).body]).toEqual([first.body, first.body]);
      // Small enough now for the other merge path, or as large as before.
      await call(server, 'patchState', { patch: { level: 3, filling: null } });
      const again = await patch();
      if (filling === '') expect(again.body).toEqual(first.body);
      else refused(again, 409, 'states_changed');
      const { body } = await call(server, 'getStates', {});
      expect(body).toMatchObject({ states: [{ version: 3, state: { level: 3 } }] });
    }
  });

  it('is refused when the key was used with another input or for another operation', async () => {
    const wallet = randomWallet();
    const headers = { ...bearer(gameSecret), ...keyed(newKey()) };
    await api.post('/launcher/set-user-score', { wallet, score: 1 }, headers);
    const others: [string, object][] = [
      ['set-user-score', { wallet, score: 2 }],
      ['set-user-score', { wallet, score: 1, nonce: 'n' }],
      ['set-user-score', { wallet: randomWallet(), score: 1 }],
      ['send-notification', { wallet, message: 'Hi', type: 'success' }],
    ];
    for (const [path, body] of others) {
      refused(await api.post(`/launcher/${path}`, body, headers), 409, 'idempotency_key_reused');
    }
    expect(await scoresOf(wallet)).toEqual([1]);
  });

  it("is scoped to the caller: a player's keys, the server's, and another game's are separate", async () => {
    const key = newKey();
    const { gameId: otherGame } = await server.createGame();
    const wallet = randomWallet();
    const callers = [
      await server.openSession(gameId, wallet),
      await server.openSession(gameId),
      await server.openSession(otherGame, wallet),
    ];
    for (const { launcherJwt } of callers) {
      const answer = await api.post('/launcher/set-user-score', { launcherJwt, score: 4 }, keyed(key));
      expect(answer.status).toBe(200);
    }
    const headers = { ...bearer(gameSecret), ...keyed(key) };
    expect((await api.post('/launcher/set-user-score', { wallet, score: 4 }, headers)).status).toBe(200);
    expect(await scoresOf(wallet)).toEqual([4, 4]);
  });

  it('that was refused does not use up the key', async () => {
    const wallet = randomWallet();
    const sessionId = crypto.randomUUID();
    const headers = { ...bearer(gameSecret), ...keyed(newKey()) };
    const track = (endTime: number) =>
      api.post('/launcher/track-game-sessions', { wallet, sessionId, state: '{}', endTime }, headers);
    const begun = { wallet, sessionId, state: '{}' };
    await api.post('/launcher/track-game-sessions', begun, bearer(gameSecret));
    refused(await track(1), 400, 'end_time_before_start');
    expect((await track(Date.now() + 1000)).status).toBe(200);
  });

  it.each([
    ['set-state', { label: 'save', state: '{"level":1}' }],
    ['track-game-sessions', { sessionId: crypto.randomUUID(), state: '{}' }],
    ['send-custom-activity', { label: 'found the key', eventId: 'key' }],
    ['send-notification', { message: 'Hello', type: 'success' }],
    ['trigger-rules-engine', { trigger: 'win' }],
    ['open-channel-session', {}],
    ['notify-players', { wallets: [randomWallet()], message: 'Hello', type: 'success' }],
    ['vouch-for-player', { playerId: 'ada', username: 'Ada' }],
    ['revoke-channel-session', {}],
  ])('by a game server returns the same when it is sent again: %s', async (path, body) => {
    const { wallet } = await server.openSession(gameId);
    const headers = { ...bearer(gameSecret), ...keyed(newKey()) };
    const first = await api.post(`/launcher/${path}`, { wallet, ...body }, headers);
    const before = await eventCount();
    const again = await apiOf(other).post(`/launcher/${path}`, { wallet, ...body }, headers);
    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await eventCount()).toEqual(before);
  });

  it("stores none of a player's text, which can be unsent", async () => {
    const [ada, bob] = [await server.openSession(gameId), await server.openSession(gameId)];
    const { launcherJwt } = ada;
    const channel = await api.post('/launcher/create-message-channel', {
      launcherJwt,
      otherParticipants: [bob.wallet],
    });
    const channelId = Object(channel.body)._id;
    const content = `secret ${newKey()}`;
    const headers = keyed(newKey());
    const send = () =>
      api.post('/launcher/send-channel-message', { launcherJwt, channelId, content }, headers);
    const sent = await send();
    expect(Object(sent.body).content).toBe(content);
    const results = await rowsIn(db, 'SELECT result, fingerprint FROM idempotency_keys', {});
    expect(JSON.stringify(results)).not.toContain(content);
    await api.post('/launcher/unsend-channel-message', { launcherJwt, messageId: Object(sent.body)._id });
    expect((await send()).body).toEqual(sent.body);
    const page = await api.post('/launcher/get-channel-messages', { launcherJwt, channelId });
    expect(page.body).toMatchObject({ total: 0 });
  });

  it.each(['', 'ü', 'with space', 'x'.repeat(256)])(
    'is refused when the key is invalid: %j',
    async (idempotencyKey) => {
      const { launcherJwt, wallet } = await server.openSession(gameId);
      const answer = await api.post('/launcher/set-user-score', { launcherJwt, score: 1, idempotencyKey });
      if (idempotencyKey === '')
        expect(answer.status).toBe(200); // counts as omitted
      else refused(answer, 400, 'input_invalid');
      expect(await scoresOf(wallet)).toHaveLength(idempotencyKey === '' ? 1 : 0);
    },
  );

  it('expires after its retention time, and not before', async () => {
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const headers = keyed(newKey());
    const send = () => api.post('/launcher/set-user-score', { launcherJwt, score: 1 }, headers);
    await send();
    await db.write(trimIdempotencyKeys, 60_000);
    await send();
    expect(await scoresOf(wallet)).toHaveLength(1);
    await db.write(trimIdempotencyKeys, -1);
    await send();
    expect(await scoresOf(wallet)).toHaveLength(2);
  });
});

it("reads ignore a key, and administrators' operations do not take one", async () => {
  const { launcherJwt } = await server.openSession(gameId);
  const headers = keyed(newKey());
  const read = () => api.post('/launcher/get-user-score', { launcherJwt }, headers);
  expect((await read()).body).toEqual({ success: true, score: null });
  await api.post('/launcher/set-user-score', { launcherJwt, score: 2 });
  expect((await read()).body).toMatchObject({ score: { score: 2 } });
  const asAdmin = { ...headers, ...bearer(server.adminToken) };
  refused(await api.post('/admin/create-game', { name: 'Twice' }, asAdmin), 400, 'input_invalid');
});

async function eventCount(): Promise<unknown> {
  return rowsIn(db, 'SELECT count(*) AS count FROM events', {});
}
