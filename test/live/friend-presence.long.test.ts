import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { FriendPresence } from '../../src/features/friends/presence.ts';
import { befriend } from '../support/befriend.ts';
import { type ClusterNode, clockAhead, startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

function connect({ url }: ClusterNode, { launcherJwt }: TestPlayer, status?: object): Promise<TestLauncher> {
  return connectLauncher(url, { launcherJwt, ...(status && { status }) });
}

/** Follows friends, and answers the state of one as the launcher knows it from then on. */
async function follow(launcher: TestLauncher, { wallet }: TestPlayer) {
  const isOfFriend = (friend: FriendPresence) => friend.wallet === wallet;
  const { friends } = (await launcher.call('followPresence')) as { friends: FriendPresence[] };
  const before = friends.find(isOfFriend);
  const changes = () =>
    launcher.received
      .filter(({ name }) => name === 'friend-presence patched')
      .flatMap(({ record }) => (record.friends as FriendPresence[]).filter(isOfFriend));
  return { changes, status: () => (changes().at(-1) ?? before)?.status ?? 'offline' };
}

test('across two nodes friends see each other, through a stop, a crash, an outage of Redis and a clock 20 s ahead', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  const ahead = clockAhead(20_000, `${data.path}/clock-ahead`);
  await using other = await startClusterNode({ ...variables, ...ahead });
  const launcherGame = await data.createGame({ kind: 'launcher' });
  const chess = await data.createGame({ name: 'Chess' });
  const [ada, bob] = [await data.openSession(launcherGame), await data.openSession(launcherGame)];
  await befriend(data.db, launcherGame, ada.wallet, bob.wallet);
  using watching = await connect(one, ada);
  const friend = await follow(watching, bob);

  // Over the node whose clock is ahead, then over the other one: the later choice counts.
  const there = await connect(other, bob, { status: 'busy' });
  await until('busy there', () => friend.status() === 'busy');
  expect(await there.call('followPresence')).toMatchObject({ own: { status: 'busy' } });
  using here = await connect(one, bob);
  await here.call('setStatus', { status: 'away' });
  await until('away here', () => friend.status() === 'away');
  const own = { friends: [], own: { status: 'away', text: '' } };
  await until('told there', () => there.received.some(({ record }) => isDeepStrictEqual(record, own)));
  await here.call('setStatus', { status: 'online' });
  here.socket.disconnect();
  await until('online, though only there', () => friend.status() === 'online');

  // A node that is stopped: who reconnects elsewhere in time does not flicker.
  const before = friend.changes().length;
  await other.stop();
  const moved = await connect(one, bob);
  await other.start();
  const mark = performance.now();
  await until('the end of the grace', () => performance.now() - mark > 7_000);
  expect(friend.changes().slice(before)).toEqual([]);

  // A node that crashes: Redis knows that its connection is closed, and it is asked after three seconds of silence.
  moved.socket.disconnect();
  const playing = await connect(other, bob);
  await playing.call('setCurrentGame', { gameId: chess });
  await until('in the game', () => friend.changes().at(-1)?.gameId === chess);
  const crashed = performance.now();
  await other.kill();
  await until('offline', () => friend.status() === 'offline');
  const seconds = (performance.now() - crashed) / 1000;
  process.stdout.write(`friends: offline ${seconds.toFixed(1)} s after the node was killed\n`);
  expect(seconds).toBeGreaterThan(2);
  expect(seconds).toBeLessThan(7);
  await other.start();

  // Redis away: everybody stays as known; back: changes of the meantime are seen within two seconds.
  using again = await connect(other, bob);
  await until('online', () => friend.status() === 'online');
  await redis.kill();
  const away = performance.now();
  await again.call('setStatus', { status: 'busy' });
  await until('the outage noticed', () => performance.now() - away > 2_000);
  expect(friend.status()).toBe('online');
  await redis.start();
  const back = performance.now();
  await until('busy', () => friend.status() === 'busy');
  const ms = performance.now() - back;
  process.stdout.write(`friends: right ${Math.round(ms)} ms after Redis was back\n`);
  expect(ms).toBeLessThan(3_000); // a second of it until the nodes have noticed
  there.socket.disconnect();
  expect([one.crashes(), other.crashes()]).toEqual([0, 0]);
});

test('a status whose call was answered is known to the other node when its node is killed at once', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const launcherGame = await data.createGame({ kind: 'launcher' });
  const ada = await data.openSession(launcherGame);
  const friends = await Promise.all(Array.from({ length: 8 }, () => data.openSession(launcherGame)));
  for (const { wallet } of friends) await befriend(data.db, launcherGame, ada.wallet, wallet);
  using watching = await connect(other, ada);
  const shown = async () => {
    const { friends: online } = (await watching.call('followPresence')) as { friends: FriendPresence[] };
    return Object.fromEntries(online.map(({ wallet, status, text }) => [wallet, `${status} ${text}`]));
  };
  const launchers = await Promise.all(friends.map((friend) => connect(one, friend)));
  await until('all online', async () => Object.keys(await shown()).length === friends.length);

  await Promise.all(
    launchers.map(async (launcher, at) => {
      await new Promise((resolve) => setTimeout(resolve, at * 25)); // at another moment each
      await launcher.call('setStatus', { status: 'busy', text: `boss ${at}` });
    }),
  );
  await one.kill();
  const again = await Promise.all(friends.map((friend) => connect(other, friend)));
  const chosen = Object.fromEntries(friends.map(({ wallet }, at) => [wallet, `busy boss ${at}`]));
  expect(await shown()).toEqual(chosen);
  for (const { socket } of again) socket.disconnect();
});

test('who is blocked over another node sees a friend whom nobody can join', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const launcherGame = await data.createGame({ kind: 'launcher' });
  const chess = await data.createGame({ name: 'Chess', url: 'https://chess.example/play' });
  const [ada, bob] = [await data.openSession(launcherGame), await data.openSession(launcherGame)];
  await befriend(data.db, launcherGame, ada.wallet, bob.wallet);
  using watching = await connect(one, ada);
  const friend = await follow(watching, bob);
  using game = await connect(other, await data.openSession(chess, bob.wallet));
  await game.call('setRichPresence', { details: 'Move 12', connect: 'table-4' });
  await until('joinable', () => friend.changes().at(-1)?.joinable === true);
  await game.call('blockPlayer', { wallet: ada.wallet });
  await until('not joinable', () => friend.changes().at(-1)?.joinable === false);
  await game.call('unblockPlayer', { wallet: ada.wallet });
  await until('joinable again', () => friend.changes().at(-1)?.joinable === true);
});
