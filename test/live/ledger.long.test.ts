import { test } from 'vitest';
import { redisMissing } from '../support/redis.ts';
import { holdShortLedger } from './short-ledger.ts';

test('no launcher misses, repeats or reorders an event while nodes and Redis are killed', {
  timeout: 150_000,
}, async ({ skip, annotate }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await holdShortLedger(annotate);
});
