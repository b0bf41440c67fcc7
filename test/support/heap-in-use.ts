import { Session } from 'node:inspector/promises';

/**
 * Collects the garbage of this thread, as when memory is short: `gc()` would leave the space for new objects at the size
 * that it has grown to, tens of megabytes that depend on what ran before.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/** What this thread has in use, in bytes, without what the process keeps for later. */
export function heapInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
