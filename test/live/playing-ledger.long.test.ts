import { expect, test } from 'vitest';
import { startClusterNode } from '../support/cluster-node.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { openSharedData } from '../support/shared-data.ts';
import { playingWrong, playLedger } from './playing-ledger.ts';

/** Full size: 300 launchers for 60 s. */
const launchers = Number(process.env.PLAYING_LAUNCHERS ?? 60);
const seconds = launchers < 300 ? 15 : 60;

test(`${launchers} launchers open, switch, close, crash and sleep on two nodes, one killed: the numbers and the playtime are right`, {
  timeout: 240_000,
}, async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const counts = await playLedger(data, [one, other], { launchers, seconds });
  process.stdout.write(`playing: ${JSON.stringify(counts)}\n`);
  expect(playingWrong(counts), JSON.stringify(counts)).toBe(0);
  expect(counts.opened).toBeGreaterThan(launchers);
  expect(Math.min(counts.closed, counts.crashed, counts.slept)).toBeGreaterThan(0);
});
