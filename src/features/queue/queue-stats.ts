import type { Store } from '../../core/storage/store.ts';
import type { QueueCounts, QueueStats } from '../../telemetry/metric-sources.ts';
import { readQueueDepths } from './queries.ts';

/** Returns a function that reads the queue's statistics for metrics; it only reads from the database. */
export function queueStats(
  db: Pick<Store, 'read' | 'now'>,
  /** The workers, by kind. */
  workers: Readonly<
    Record<string, { counts(): Readonly<Omit<QueueCounts, 'retried'> & Partial<QueueCounts>> }>
  >,
): () => Promise<QueueStats[]> {
  return async () => {
    const depths = new Map((await db.read(readQueueDepths)).map((one) => [one.kind, one]));
    const now = db.now();
    return [...new Set([...depths.keys(), ...Object.keys(workers)])].map((kind) => {
      const { depth, oldestAt } = depths.get(kind) ?? { depth: 0, oldestAt: now };
      const counts = { confirmed: 0, failed: 0, retried: 0, ...workers[kind]?.counts() };
      return { kind, depth, oldestSeconds: Math.max(0, now - oldestAt) / 1000, ...counts };
    });
  };
}
