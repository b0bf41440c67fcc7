import { setImmediate } from 'node:timers/promises';

/** A process's report about itself. */
export interface ProcessState {
  /** After collecting garbage until that frees no more, in bytes. */
  heapBytes: number;
  rssBytes: number;
  /** Unexpected names that every object inherits: the effect of prototype pollution. */
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
