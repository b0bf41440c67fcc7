import { setImmediate } from 'node:timers/promises';

/** What a process says of itself. */
export interface ProcessState {
  /** After collecting garbage until that frees no more, in bytes. */
  heapBytes: number;
  rssBytes: number;
  /** The names every object inherits that it should not: what prototype pollution leaves. */
  inherited: string[];
}

/**
 * Preloaded into a server (`--import`, with `--expose-gc`): answers any message of the parent process with its
 * `ProcessState`.
 */
process.on('message', async () => {
  let heapBytes = Number.POSITIVE_INFINITY;
  for (;;) {
    globalThis.gc?.();
    await setImmediate();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed >= heapBytes) break;
    heapBytes = heapUsed;
  }
  const inherited: string[] = [];
  for (const name in {}) inherited.push(name);
  const state: ProcessState = { heapBytes, rssBytes: process.memoryUsage.rss(), inherited };
  process.send?.(state);
});
