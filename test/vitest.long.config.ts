import { availableParallelism } from 'node:os';
import { defineConfig, mergeConfig } from 'vitest/config';
import { longTests, shared } from './vitest.config.ts';

/** `npm run test:long`: the tests that `npm test` excludes. They wait more, for leases, restarts and timeouts. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [longTests],
      globalSetup: ['test/release/once.ts'],
      maxWorkers: availableParallelism() + 2,
    },
  }),
);
