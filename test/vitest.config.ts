import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start real servers and write to real files; what they wait for is a condition, this is the limit.
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
