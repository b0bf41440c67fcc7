import { defineConfig, mergeConfig } from 'vitest/config';
import { longTests, shared } from './vitest.config.ts';

/** `npm run test:long`: the tests that `npm test` excludes. */
export default mergeConfig(shared, defineConfig({ test: { include: [longTests] } }));
