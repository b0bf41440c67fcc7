import { setImmediate } from 'node:timers/promises';

/**
 * Preloaded into a server (`--import`, with `--expose-gc`): answers any message of the parent process with this
 * process's memory, in bytes, once collecting garbage frees no more of it.
 */
process.on('message', async () => {
  let before = Number.POSITIVE_INFINITY;
  let now = process.memoryUsage.rss();
  while (now < before) {
    before = now;
    globalThis.gc?.();
    await setImmediate();
    now = process.memoryUsage.rss();
  }
  process.send?.(now);
});
