import { io } from 'socket.io-client';
import { expect, test, vi } from 'vitest';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';
import { openSharedData, type SharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

/** A player with a session in a game, and the launcher that observes it. */
async function playerAndLauncher(data: SharedData) {
  const inGame = await data.openSession(await data.createGame());
  const inLauncher = await data.openSession(await data.createGame({ kind: 'launcher' }), inGame.wallet);
  return { inGame, inLauncher };
}

function connect({ url }: ClusterNode, { launcherJwt }: TestPlayer): Promise<TestLauncher> {
  return connectLauncher(url, { launcherJwt });
}

async function status({ url }: ClusterNode, { launcherJwt }: TestPlayer): Promise<unknown> {
  return (await post(`${url}/launcher/channel-status`, { launcherJwt })).body;
}

/** A session's presence changes as a launcher received them, in order. */
function toldOf({ received }: TestLauncher, { sessionId }: TestPlayer): unknown[] {
  return received
    .filter(({ name, record }) => name === 'game-channels patched' && record._id === sessionId)
    .map(({ record }) => record.present);
}

/** Waits for the expected number, and then for a mark after them, so that a surplus one would show. */
async function isTold(data: SharedData, launcher: TestLauncher, player: TestPlayer, expected: boolean[]) {
  await until(`presence ${expected}`, () => toldOf(launcher, player).length >= expected.length);
  const message = `mark ${Math.random()}`;
  await data.db.write(notifyPlayer, player, { message, type: 'success' });
  await until('the mark', () => launcher.received.some(({ record }) => record.message === message));
  expect(toldOf(launcher, player)).toEqual(expected);
}

test('across two nodes a session is present while a socket is on either, and its launcher receives each change once', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const { inGame, inLauncher } = await playerAndLauncher(data);
  using watching = await connect(one, inLauncher);
  using watchingElsewhere = await connect(other, inLauncher);
  const bothAreTold = async (expected: boolean[]) => {
    for (const launcher of [watching, watchingElsewhere]) await isTold(data, launcher, inGame, expected);
  };
  const statuses = () => Promise.all([one, other].map((node) => status(node, inGame)));
  const present = { exists: true, present: true, wallet: inGame.wallet };
  const absent = { ...present, present: false };

  expect(await statuses()).toMatchObject([absent, absent]);
  const there = await connect(other, inGame);
  await bothAreTold([true]);
  expect(await statuses()).toMatchObject([present, present]);

  const here = await connect(one, inGame);
  const again = await connect(one, inGame);
  there.socket.disconnect();
  again.socket.disconnect();
  await bothAreTold([true]);
  expect(await statuses()).toMatchObject([present, present]);

  here.socket.disconnect();
  await bothAreTold([true, false]);
  expect(await statuses()).toMatchObject([absent, absent]);
});

test('a heartbeat makes a session present without a socket, on every node, announced once', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const { inGame, inLauncher } = await playerAndLauncher(data);
  using watching = await connect(one, inLauncher);
  for (const node of [other, one, other]) {
    const answer = await post(`${node.url}/launcher/channel-heartbeat`, { launcherJwt: inGame.launcherJwt });
    expect(answer.body).toEqual({ success: true });
  }
  const visit = await connect(one, inGame);
  visit.socket.disconnect();
  await isTold(data, watching, inGame, [true]);
  for (const node of [one, other]) expect(await status(node, inGame)).toMatchObject({ present: true });
});

test('when a node dies, those only present there become absent, and the launcher on another node is notified once', async ({
  skip,
  annotate,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using third = await startClusterNode(variables);
  await using dying = await startClusterNode(variables);
  const { inGame, inLauncher } = await playerAndLauncher(data);
  const both = await data.openSession(inGame.gameId, inGame.wallet);
  using watching = await connect(one, inLauncher);
  using _playing = await connect(dying, inGame);
  using _playingTwice = await connect(dying, both);
  using elsewhere = await connect(third, both);
  await isTold(data, watching, inGame, [true]);
  await isTold(data, watching, both, [true]);

  const from = performance.now();
  await dying.kill();
  expect(await status(one, inGame)).toMatchObject({ exists: true, present: true }); // its lease has not expired
  await until('the lapse', () => toldOf(watching, inGame).length === 2, 60_000);
  const seconds = Math.round((performance.now() - from) / 1000);
  await annotate(`announced ${seconds} s after the node died`);
  process.stdout.write(`presence: told as absent ${seconds} s after its node was killed\n`);
  expect(seconds).toBeLessThan(30);
  for (const node of [one, third]) {
    expect(await status(node, inGame)).toMatchObject({ exists: true, present: false });
    expect(await status(node, both)).toMatchObject({ exists: true, present: true });
  }
  // Each node has swept again by then.
  await until('another round', () => performance.now() - from > (seconds + 7) * 1000);
  await isTold(data, watching, inGame, [true, false]);
  await isTold(data, watching, both, [true]);
  elsewhere.socket.disconnect();
  await isTold(data, watching, both, [true, false]);
  using _back = await connect(third, inGame);
  await isTold(data, watching, inGame, [true, false, true]);
});

test('without Redis one node announces presence just the same', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  const { inGame, inLauncher } = await playerAndLauncher(data);
  using watching = await connect(node, inLauncher);
  const first = await connect(node, inGame);
  const second = await connect(node, inGame);
  await isTold(data, watching, inGame, [true]);
  first.socket.disconnect();
  second.socket.disconnect();
  await isTold(data, watching, inGame, [true, false]);
  expect(await status(node, inGame)).toMatchObject({ exists: true, present: false });
});

test('when the only node is killed and restarted, those who do not return are announced as absent, once', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  const { inGame, inLauncher } = await playerAndLauncher(data);
  const back = await data.openSession(inGame.gameId, inGame.wallet);
  using watching = listen({ url: node.url, launcherJwt: inLauncher.launcherJwt });
  await watching.client.ready();
  const told = ({ sessionId }: TestPlayer) =>
    watching.received
      .filter(({ name, record }) => name === 'game-channels patched' && record._id === sessionId)
      .map(({ record }) => record.present);
  using _playing = await connect(node, inGame);
  using comingBack = listen({ url: node.url, launcherJwt: back.launcherJwt });
  await comingBack.client.ready();
  await until('both present', () => told(inGame).length + told(back).length === 2);

  await node.kill();
  await node.start();
  expect(await status(node, inGame)).toMatchObject({ exists: true, present: false });
  await until('announced as absent', () => told(inGame).length === 2, 30_000);
  expect(told(inGame)).toEqual([true, false]);
  expect(told(back)).toEqual([true]); // to others, a player who returned was present throughout
  expect(await status(node, back)).toMatchObject({ present: true });
  comingBack.client.close();
  await until('announced as ended', () => told(back).length === 2);
  expect(told(inGame)).toEqual([true, false]);
});

test('an ended session is announced as ended, and not as absent afterwards', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  const { inGame, inLauncher } = await playerAndLauncher(data);
  using watching = await connect(node, inLauncher);
  using playing = await connect(node, inGame);
  await isTold(data, watching, inGame, [true]);
  await playing.call('endChannelSession');
  await until('the cut', () => !playing.socket.connected);
  await isTold(data, watching, inGame, [true, false]);
  expect(
    watching.received.filter(({ record }) => record._id === inGame.sessionId).at(-1)?.record,
  ).toMatchObject({
    exists: false,
    present: false,
  });
  expect(await status(node, inGame)).toMatchObject({ exists: false, present: false });
});

test('a connection that closes while its token is being verified leaves nobody present', async () => {
  await using server = await startTestServer();
  const { presence, tokens } = server.services;
  const { launcherJwt, sessionId } = await server.openSession((await server.createGame()).gameId);
  const verify = tokens.verify.bind(tokens);
  let gone = false;
  const checking = vi.spyOn(tokens, 'verify').mockImplementationOnce(async (token, read) => {
    await until('the disconnect', () => gone);
    return verify(token, read);
  });
  const connected = vi.spyOn(presence, 'connected');
  const socket = io(server.url, { auth: { launcherJwt }, transports: ['websocket'], forceNew: true });
  await until('the check', () => checking.mock.calls.length === 1);
  socket.disconnect();
  using bystander = await connectLauncher(server.url, { launcherJwt });
  expect(await presence.isPresent(sessionId)).toBe(true);
  gone = true;
  await until('the check done', () => checking.mock.settledResults.every(({ type }) => type === 'fulfilled'));
  bystander.socket.disconnect();
  await until('nobody is present', async () => !(await presence.isPresent(sessionId)));
  expect(connected).toHaveBeenCalledTimes(1);
});
