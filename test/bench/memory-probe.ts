import { setImmediate } from 'node:timers/promises';

/**
 * Preloaded into a server (`--import`, with `--expose-gc`): answers a message of the parent process with this process's
 * memory, in bytes, once collecting garbage frees no more of it; `heap`: only what is in use, without what the process
 * keeps for later.
 */
process.on('message', async (message) => {
  const inUse = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const measure = message === 'heap' ? inUse : process.memoryUsage.rss;
  let before = Number.POSITIVE_INFINITY;
  let now = measure();
  while (now < before) {
    before = now;
    globalThis.gc?.();
    await setImmediate();
    now = measure();
  }
  process.send?.(now);
});
