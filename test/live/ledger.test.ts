import { expect, test } from 'vitest';
import { redisMissing } from '../support/redis.ts';
import { runLedger } from './ledger.ts';

test('no launcher misses, repeats or reorders an event while nodes and Redis are killed', {
  timeout: 150_000,
}, async ({ skip, annotate }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  const counts = await runLedger({
    sockets: 48,
    messagesPerSecond: 50,
    kills: 2,
    redisOutagesMs: [1_000, 5_000],
  });
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  await annotate(JSON.stringify(counts));
  expect(counts).toMatchObject({
    caughtUp: true,
    nodeKills: 4,
    crashes: 0,
    missed: 0,
    acknowledgedMissed: 0,
    outOfOrder: 0,
    duplicates: 0,
    altered: 0,
    resyncs: 0,
  });
  // Otherwise nothing was tried.
  expect(counts.reconnects).toBeGreaterThanOrEqual(48);
  expect(counts.acknowledged).toBeGreaterThan(300);
});
