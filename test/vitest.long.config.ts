import { availableParallelism } from 'node:os';
import { defineConfig, mergeConfig } from 'vitest/config';
import { longTests, shared } from './vitest.config.ts';

/** `npm run test:long`: the tests that `npm test` leaves to it. */
export default mergeConfig(
  shared,
  // Most of them wait most of the time.
  defineConfig({ test: { include: [longTests], maxWorkers: availableParallelism() + 2 } }),
);
