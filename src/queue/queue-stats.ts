import type { Store } from '../core/storage/store.ts';
import { readQueueDepths } from './queries.ts';

/** Outcomes of actions of one kind in this process since its start. */
export interface QueueCounts {
  confirmed: number;
  failed: number;
  /** Attempts to be retried; transactions that are sent to a chain again are not counted. */
  retried: number;
}

/**
 * Statistics of one kind of action. Depth and age come from the database; the counts are this process's since its
 * start.
 */
export interface QueueStats extends QueueCounts {
  kind: string;
  /** Actions queued or submitted. */
  depth: number;
  /** The age of the oldest of them, in seconds; 0 if there is none. */
  oldestSeconds: number;
}

/** Returns a function that reads the queue's statistics for metrics; it only reads from the database. */
export function queueStats(
  db: Pick<Store, 'read'>,
  /** The workers, by kind. */
  workers: Readonly<
    Record<string, { counts(): Readonly<Omit<QueueCounts, 'retried'> & Partial<QueueCounts>> }>
  >,
): () => Promise<QueueStats[]> {
  return async () => {
    const depths = new Map((await db.read(readQueueDepths)).map((one) => [one.kind, one]));
    const now = Date.now();
    return [...new Set([...depths.keys(), ...Object.keys(workers)])].map((kind) => {
      const { depth, oldestAt } = depths.get(kind) ?? { depth: 0, oldestAt: now };
      const counts = { confirmed: 0, failed: 0, retried: 0, ...workers[kind]?.counts() };
      return { kind, depth, oldestSeconds: Math.max(0, now - oldestAt) / 1000, ...counts };
    });
  };
}
