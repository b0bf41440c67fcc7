import { Session } from 'node:inspector/promises';
import { setTimeout } from 'node:timers/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a server (`--import`): answers a message of the parent process with this process's memory, in bytes,
 * once collecting garbage frees no more of it; `heap`: only what the main thread has in use, without what the process
 * keeps for later.
 *
 * Garbage is collected in all threads, and as when memory is short: `gc()` would leave the space for new objects at the
 * size that it has grown to, tens of megabytes that depend on what ran before.
 */
const channel = new BroadcastChannel('memory-probe');
/** How long the threads have for a collection. */
const collectMs = 300;

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

channel.onmessage = collectGarbage;
channel.unref();

if (isMainThread) {
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
      channel.postMessage(null);
      await collectGarbage();
      await setTimeout(collectMs);
      now = measure();
    }
    process.send?.(now);
  });
}
