import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { playingWrong, playLedger } from './playing-ledger.ts';

/** Full size: 300 launchers for 60 s. */
const launchers = Number(process.env.PLAYING_LAUNCHERS ?? 60);
const seconds = launchers < 300 ? 15 : 60;
/** How long Redis is away while they play, by hand: 0. */
const redisAwayMs = Number(process.env.PLAYING_REDIS_AWAY_MS ?? 0);

test(`${launchers} launchers open, switch, close, crash and sleep on two nodes, one killed: the numbers and the playtime are right`, async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const interrupt = async () => {
    await redis.kill();
    await delay(redisAwayMs);
    await redis.start();
  };
  const options = { launchers, seconds, ...(redisAwayMs > 0 && { interrupt }) };
  const counts = await playLedger(data, [one, other], options);
  process.stdout.write(`playing: ${JSON.stringify(counts)}\n`);
  expect(playingWrong(counts), JSON.stringify(counts)).toBe(0);
  expect(counts.opened).toBeGreaterThan(launchers);
  expect(Math.min(counts.closed, counts.crashed, counts.slept)).toBeGreaterThan(0);
});

test('players of a node that stalls for five seconds are counted throughout; of one that is killed, for five seconds at most', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const launcherGame = await data.createGame({ kind: 'launcher', name: 'Launcher' });
  const gameId = await data.createGame({ name: 'Chess' });
  const player = await data.openSession(launcherGame);
  using launcher = await connectLauncher(other.url, { launcherJwt: player.launcherJwt });
  using watcher = await connectLauncher(one.url);
  await watcher.call('followGameStats', { gameIds: [gameId] });
  const told = () =>
    watcher.received
      .filter(({ name }) => name === 'game-stats patched')
      .map(({ record }) => Number(record.playing));
  await launcher.call('setCurrentGame', { gameId });
  await until('counted', () => told().join() === '1');

  other.freeze();
  const frozenAt = performance.now();
  await until('five seconds', () => performance.now() - frozenAt > 5_000, 6_000);
  other.thaw();
  await launcher.call('setCurrentGame', { gameId: null });
  await until('changed by the player, not by the pause', () => told().join() === '1,0');

  await launcher.call('setCurrentGame', { gameId });
  await until('counted', () => told().join() === '1,0,1');
  await other.kill();
  const killedAt = performance.now();
  await until('not counted', () => told().join() === '1,0,1,0', 8_000);
  expect(performance.now() - killedAt).toBeLessThan(5_000);
});
