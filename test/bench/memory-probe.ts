import { setTimeout } from 'node:timers/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { collectGarbage, heapInUse } from '../support/heap-in-use.ts';

/**
 * Preloaded into a server (`--import`): answers a message of the parent process with this process's memory, in bytes,
 * once collecting garbage frees no more of it; `heap`: only what the main thread has in use, without what the process
 * keeps for later. Garbage is collected in all threads.
 */
const channel = new BroadcastChannel('memory-probe');
/** How long the threads have for a collection. */
const collectMs = 300;

channel.onmessage = collectGarbage;
channel.unref();

if (isMainThread) {
  process.on('message', async (message) => {
    const measure = message === 'heap' ? heapInUse : process.memoryUsage.rss;
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
