import { test } from 'vitest';
import { redisMissing } from '../support/redis.ts';
import { holdShortLedger } from './short-ledger.ts';

test('no launcher misses, repeats or reorders an event while three nodes and Redis are killed', async ({
  skip,
  annotate,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  const options = { nodes: 3, kills: 1, redisPausesMs: [3_000], latecomers: 24 };
  await holdShortLedger(annotate, options);
});
