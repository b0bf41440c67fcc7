import { io } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateGame } from '../../src/features/administration/operations/games.ts';
import { rollBackConfig, setConfig } from '../../src/features/game-config/operations/config-versions.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

function patches({ received }: TestLauncher) {
  return received.filter(({ name }) => name === 'config patched').map(({ record }) => record);
}

async function playing(gameId: string): Promise<TestLauncher> {
  const { launcherJwt } = await server.openSession(gameId);
  const launcher = await connectLauncher(server.url, { launcherJwt });
  await settled(launcher);
  return launcher;
}

test('a change reaches every session of the game with its public values, and nobody else', async () => {
  const admin = overHttp(server);
  const { gameId } = await server.createGame();
  const { gameId: elsewhere } = await server.createGame();
  using one = await playing(gameId);
  using other = await playing(gameId);
  using stranger = await playing(elsewhere);
  const set = (changes: object[], ifVersion: number) =>
    admin.call(setConfig, { gameId, changes: changes as never, ifVersion });
  await set(
    [
      { key: 'xp', value: 2 },
      { key: 'odds', value: 0.05, public: false },
    ],
    0,
  );
  await set(
    [
      { key: 'xp', rules: [{ percent: 50, value: 3 }] },
      { key: 'mode', value: 'night' },
    ],
    1,
  );
  await set([{ key: 'long', value: 'x'.repeat(4_090) }], 2);
  await set([{ key: 'odds', value: 0.06 }], 3);
  await set(
    [
      { key: 'xp', public: false },
      { key: 'mode', value: 'day' },
    ],
    4,
  );
  await set([{ key: 'xp', value: 2 }], 5); // the values that it has
  await admin.call(rollBackConfig, { gameId, toVersion: 4, ifVersion: 5 });
  await until('all signals', () => patches(one).length === 6);
  await settled(one, other, stranger);
  const spreadMs = Math.ceil((2 * 1_000) / 200);
  expect(patches(one)).toEqual([
    { gameId, version: 1, keys: ['xp'], values: { xp: 2 }, spreadMs },
    { gameId, version: 2, keys: ['mode', 'xp'], spreadMs },
    { gameId, version: 3, keys: ['long'], spreadMs },
    { gameId, version: 4, keys: [], values: {}, spreadMs },
    { gameId, version: 5, keys: ['mode', 'xp'], values: { mode: 'day' }, spreadMs },
    { gameId, version: 6, keys: ['mode', 'xp'], spreadMs },
  ]);
  expect(patches(other)).toEqual(patches(one));
  expect(patches(stranger)).toEqual([]);
});

test("a change of a launcher's own config reaches its sessions", async () => {
  const { gameId } = await server.createGame({ kind: 'launcher' });
  using launcher = await playing(gameId);
  await overHttp(server).call(setConfig, { gameId, changes: [{ key: 'banner', value: 'on' }], ifVersion: 0 });
  await until('the signal', () => patches(launcher).length === 1);
  expect(patches(launcher)).toMatchObject([{ gameId, values: { banner: 'on' } }]);
});

test('a change reaches sessions on another node, which reads it at once and gives its sockets their share', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const adminToken = 'an-admin-token-of-both-nodes';
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url, ADMIN_TOKEN: adminToken };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const gameId = await data.createGame();
  const { launcherJwt } = await data.openSession(gameId);
  using player = await connectLauncher(far.url, { launcherJwt });
  await settled(player);
  using elsewhere = await connectLauncher(near.url, await data.openSession(gameId).then(tokenOf));
  await settled(elsewhere);
  await until('the nodes know each other', async () => {
    const { games } = Object(await player.call('followGameStats', { gameIds: [gameId] }));
    return games[0].playing === 2;
  });
  expect(await player.call('getConfig', {})).toMatchObject({ version: 0 });
  const admin = overHttp({ url: near.url, adminToken });
  const changes = (value: number) => [{ key: 'xp', value, rules: [{ percent: 100, value: -value }] }];
  for (const version of [1, 2]) {
    await admin.call(setConfig, { gameId, changes: changes(version), ifVersion: version - 1 });
    await until('the signal', () => patches(player).length === version);
    expect(await player.call('getConfig', {})).toMatchObject({ version, values: { xp: -version } });
  }
  const spreadMs = Math.ceil((1 * 2 * 1_000) / 200);
  expect(patches(player)).toEqual([
    { gameId, version: 1, keys: ['xp'], spreadMs },
    { gameId, version: 2, keys: ['xp'], spreadMs },
  ]);
});

test('a socket of an old version is refused, and one that is connected is told at its next call', async () => {
  const { gameId } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  using old = await connectLauncher(server.url, { launcherJwt, gameVersion: '1.3' });
  expect(await old.call('getConfig', {})).toMatchObject({ success: true });
  const least = { version: '1.4', url: '', message: '' };
  await overHttp(server).call(updateGame, { gameId, policies: { minVersion: least } });
  const refusal = { code: 403, data: { reason: 'update_required', update: least } };
  await expect(old.call('getConfig', {})).rejects.toMatchObject(refusal);
  expect(await refusalOf({ launcherJwt, gameVersion: '1.3' })).toMatchObject(refusal);
  expect(await refusalOf({ launcherJwt })).toMatchObject(refusal);
  // A launcher's connection is no build of the game, but its session in the game, elsewhere, says no version.
  const launcher = await server.openSession((await server.createGame({ kind: 'launcher' })).gameId);
  using ofLauncher = await connectLauncher(server.url, { launcherJwt: launcher.launcherJwt });
  expect(await ofLauncher.call('getConfig', { launcherJwt })).toMatchObject({ success: true });
  expect((await apiOf(server).post('/launcher/get-config', { launcherJwt })).body).toMatchObject(refusal);
  using current = await connectLauncher(server.url, { launcherJwt, gameVersion: '1.4' });
  expect(await current.call('getConfig', {})).toMatchObject({ success: true });
});

const tokenOf = ({ launcherJwt }: { launcherJwt: string }) => ({ launcherJwt });

async function refusalOf(auth: object): Promise<unknown> {
  const socket = io(server.url, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
  const refusal = await new Promise((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.once('connect_error', (error) => resolve(Reflect.get(error, 'data')));
  });
  socket.disconnect();
  return refusal;
}
