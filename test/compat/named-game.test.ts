import { io, type Socket } from 'socket.io-client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setScore } from '../../src/features/scores/commands.ts';
import { apiOf } from '../support/api.ts';
import { wholeSigned } from '../support/request-signatures.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { createWorld, type World } from '../support/world.ts';

/** SDKs of basement.fun cannot name their game; the base address does. */

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startTestServer();
  world = await createWorld(server);
});
afterAll(() => server.close());

const wallet = privateKeyToAccount(generatePrivateKey());
const mismatch = { status: 401, body: { data: { reason: 'game_mismatch' } } };

/** The base addresses that name the world's game. */
const bases = {
  'by its id': () => `/g/${world.gameId}`,
  'by its slug': () => `/g/${world.gameSlug}`,
};

describe.each(Object.entries(bases))('a base address that names the game %s', (_, base) => {
  const api = () => apiOf({ url: server.url + base() });

  test('signs a player in without a gameId, on the dedicated path and by method dispatch', async () => {
    const begun = await api().post('/launcher/create-unverified-channel', { wallet: wallet.address });
    expect(begun).toMatchObject({ status: 200, body: { success: true } });
    const { channelId, signRequest } = Object(
      (await api().dispatch('createUnverifiedChannel', { wallet: wallet.address })).body,
    );
    const signature = await wallet.signMessage({ message: signRequest });
    const { body } = await api().dispatch('verifyUnverifiedChannel', { channelId, signature });
    const [, payload = ''] = Object(body).jwt.split('.');
    expect(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))).toMatchObject({
      gameId: world.gameId,
    });
  });

  test.each([undefined, null, ''])('replaces a gameId that is %j in public reads', async (gameId) => {
    const { body } = await api().dispatch(
      'getGameScoresLeaderboard',
      { gameId, limit: 1 },
      { service: 'scores' },
    );
    expect(body).toMatchObject({ success: true, leaderboard: [{ gameId: world.gameId }] });
    const place = await api().post('/launcher/get-users-position-in-game-score-leaderboard', {
      gameId,
      wallet: world.owner.wallet,
    });
    expect(place.body).toMatchObject({ success: true, position: 1 });
  });

  test('limits the feed to the game', async () => {
    const { body } = await api().get('/activities?pageSize=5');
    const data: { gameId: string }[] = Object(body).result.data;
    expect(new Set(data.map(({ gameId }) => gameId))).toEqual(new Set([world.gameId]));
  });

  test('accepts tokens of the game, and none of another or of a launcher', async () => {
    const { tokens } = world;
    const setScoreBy = (launcherJwt: string | undefined) =>
      api().post('/launcher/set-user-score', { launcherJwt, score: 1 });
    expect((await setScoreBy(tokens.participant)).status).toBe(200);
    for (const role of ['elsewhere', 'launcher'] as const)
      expect(await setScoreBy(tokens[role])).toMatchObject(mismatch);
    const byDispatch = await api().dispatch('channelStatus', { launcherJwt: tokens.elsewhere });
    expect(byDispatch).toMatchObject(mismatch);
  });

  test('is not overridden by the input or the query', async () => {
    const other = { gameId: world.otherGameId };
    const inInput = await api().dispatch('getGameScoresLeaderboard', other, { service: 'scores' });
    expect(inInput).toMatchObject(mismatch);
    expect(await api().get(`/activities?gameId=${world.otherGameId}`)).toMatchObject(mismatch);
    const inQuery = await api().post(
      `/scores?gameId=${world.otherGameId}`,
      {},
      { 'X-Service-Method': 'getGameScoresLeaderboard' },
    );
    expect(inQuery).toMatchObject(mismatch);
    const signIn = { wallet: wallet.address, ...other };
    expect((await api().post('/launcher/create-unverified-channel', signIn)).status).toBe(401);
  });

  test('does not complete a sign-in to another game', async () => {
    const { body } = await apiOf(server).post('/launcher/create-unverified-channel', {
      wallet: wallet.address,
      gameId: world.otherGameId,
    });
    const { channelId, signRequest } = Object(body);
    const signature = await wallet.signMessage({ message: signRequest });
    expect(await api().post('/launcher/verify-unverified-channel', { channelId, signature })).toMatchObject(
      mismatch,
    );
  });

  test('refuses the secret of another game', async () => {
    const { gameSecret } = await server.createGame();
    const answer = await api().post(
      '/launcher/create-unverified-channel',
      { wallet: wallet.address },
      { Authorization: `Bearer ${gameSecret}` },
    );
    expect(answer.status).toBe(401);
  });

  test("serves everything else, except the administrators' operations", async () => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/play',
      '/',
      `/avatars/${world.owner.wallet}.svg`,
    ]) {
      expect((await api().get(path)).status, path).toBe(200);
    }
    const headers = { Authorization: `Bearer ${server.adminToken}` };
    expect((await api().get('/metrics', headers)).status).toBe(404);
    expect((await api().post('/admin/list-games', {}, headers)).status).toBe(404);
    expect((await apiOf(server).post('/admin/list-games', {}, headers)).status).toBe(200);
  });

  test('is part of the signed path', async () => {
    const body = JSON.stringify({ launcherJwt: world.participant.launcherJwt, score: 2 });
    const signed = (path: string) =>
      api().post('/launcher/set-user-score', body, wholeSigned(world.gameSecret, { path, body }));
    expect((await signed(`${base()}/launcher/set-user-score`)).status).toBe(200);
    expect((await signed('/launcher/set-user-score')).status).toBe(401);
  });
});

test('gameId in the query of a POST names the game too', async () => {
  const path = `/launcher?gameId=${world.gameSlug}`;
  const headers = { 'X-Service-Method': 'createUnverifiedChannel' };
  expect((await apiOf(server).post(path, { wallet: wallet.address }, headers)).status).toBe(200);
  const asElsewhere = { launcherJwt: world.tokens.elsewhere };
  expect(await apiOf(server).post(path, asElsewhere, { 'X-Service-Method': 'channelStatus' })).toMatchObject(
    mismatch,
  );
});

test.each(['no-such-game', '00000000-0000-7000-8000-000000000000'])(
  'an unknown game is game_unknown: %s',
  async (game) => {
    const api = apiOf({ url: `${server.url}/g/${game}` });
    const answer = await api.post('/launcher/channel-status', { launcherJwt: world.owner.launcherJwt });
    expect(answer).toMatchObject({ status: 400, body: { data: { reason: 'game_unknown' } } });
  },
);

test.each(['/g/', '/g', '/g/a%2Fb/launcher', '/g/a/b'])('%s is not an address', async (path) => {
  expect((await apiOf(server).request(path, { method: 'POST', body: '{}' })).status).toBe(404);
});

/** The ways to give a Socket.IO client the game's base address. */
const connections: Record<string, (transport: string) => Socket> = {
  'the base address, which becomes the namespace': (transport) =>
    io(`${server.url}/g/${world.gameSlug}`, options(transport)),
  'a path below it': (transport) =>
    io(server.url, { ...options(transport), path: `/g/${world.gameId}/socket.io` }),
  'gameId in the query': (transport) =>
    io(server.url, { ...options(transport), query: { gameId: world.gameSlug } }),
  'namespace and path at once': (transport) =>
    io(`${server.url}/g/${world.gameId}/`, {
      ...options(transport),
      path: `/g/${world.gameSlug}/socket.io/`,
    }),
};
let auth: Record<string, unknown> = {};
const options = (transport: string) => ({
  transports: [transport],
  forceNew: true,
  reconnection: false,
  auth,
});

describe.each(['websocket', 'polling'])('a socket by %s that is given the game with', (transport) => {
  test.each(Object.entries(connections))(
    "%s signs a player in, and receives the player's events",
    async (_, open) => {
      auth = {};
      const anonymous = open(transport);
      const call = (socket: Socket, ...args: unknown[]) =>
        new Promise<unknown>((resolve) => {
          const [method, ...rest] = args;
          socket.emit(String(method), ...rest, (error: unknown, answer: unknown) => resolve(error ?? answer));
        });
      const begun = await call(
        anonymous,
        'createUnverifiedChannel',
        'launcher',
        { wallet: wallet.address },
        {},
      );
      expect(begun).toMatchObject({ success: true });
      const ofAnother = { launcherJwt: world.elsewhere.launcherJwt };
      expect(await call(anonymous, 'channelStatus', 'launcher', ofAnother, {})).toMatchObject(mismatch.body);
      anonymous.disconnect();

      const { launcherJwt } = world.participant;
      auth = { launcherJwt };
      const signedIn = open(transport);
      const received: Record<string, unknown>[] = [];
      signedIn.on('scores patched', (record) => received.push(record));
      signedIn.on('scores created', (record) => received.push(record));
      await until('it is connected', () => signedIn.connected);
      expect(await call(signedIn, 'subscribe', 'realtime-events', {}, {})).toMatchObject({
        stream: `game:${world.gameId}`,
      });
      const score = Math.random();
      await server.services.db.write(setScore, world.participant, score);
      await until('the event', () => received.find((one) => one.score === score));
      const leaderboard = await call(signedIn, 'getGameScoresLeaderboard', 'scores', { limit: 1 }, {});
      expect(leaderboard).toMatchObject({ leaderboard: [{ gameId: world.gameId }] });
      signedIn.disconnect();
    },
  );

  test.each(Object.entries(connections))(
    '%s refuses a token of another game in the handshake',
    async (_, open) => {
      auth = { launcherJwt: world.elsewhere.launcherJwt };
      const socket = open(transport);
      const refused = await new Promise((resolve) => {
        socket.once('connect', () => resolve('connected'));
        socket.once('connect_error', resolve);
      });
      socket.disconnect();
      expect(refused).toMatchObject({ data: mismatch.body });
    },
  );
});

test('a socket call names its game in its query, as Feathers sends it', async () => {
  auth = {};
  const socket = io(server.url, options('websocket'));
  const call = (query: object) =>
    new Promise<unknown>((resolve) => {
      socket.emit(
        'createUnverifiedChannel',
        'launcher',
        { wallet: wallet.address },
        query,
        (error: unknown, answer: unknown) => resolve(error ?? answer),
      );
    });
  expect(await call({ gameId: world.gameId })).toMatchObject({ success: true });
  expect(await call({})).toMatchObject({ data: { reason: 'secret_required' } });
  expect(await call({ gameId: [world.gameId, world.otherGameId] })).toMatchObject(mismatch.body);
  socket.disconnect();
});

test('any other namespace is unknown', async () => {
  for (const namespace of ['/game', '/g/a/b', '/admin', `/g/${world.gameId}?x=1`]) {
    const socket = io(server.url + namespace.replace('?', '%3F'), options('websocket'));
    const refused: Error = await new Promise((resolve) => {
      socket.once('connect', () => resolve(new Error('connected')));
      socket.once('connect_error', resolve);
    });
    socket.disconnect();
    expect(refused.message, namespace).toBe('Invalid namespace');
  }
});
