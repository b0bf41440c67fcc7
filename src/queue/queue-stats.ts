import type { Database } from '../core/storage/database.ts';
import { readQueueDepths } from './queries.ts';

/** What became of the actions of a kind in this process since its start. */
export interface QueueCounts {
  confirmed: number;
  failed: number;
  /** Tries put off; a chain's transactions are sent on without being counted again. */
  retried: number;
}

/** How a kind of action stands. Depth and age are of the database; the counts are this process's since its start. */
export interface QueueStats extends QueueCounts {
  kind: string;
  /** Actions queued or submitted. */
  depth: number;
  /** Of the oldest of them, in seconds; 0 when there is none. */
  oldestSeconds: number;
}

/** Reads figures of the queue for metrics; what it asks of the database is a read. */
export function queueStats(
  db: Pick<Database, 'read'>,
  /** Those who carry out a kind, by it. */
  workers: Readonly<
    Record<string, { counts(): Readonly<Omit<QueueCounts, 'retried'> & Partial<QueueCounts>> }>
  >,
): () => Promise<QueueStats[]> {
  return async () => {
    const standing = new Map((await db.read(readQueueDepths)).map((one) => [one.kind, one]));
    const now = Date.now();
    return [...new Set([...standing.keys(), ...Object.keys(workers)])].map((kind) => {
      const { depth, oldestAt } = standing.get(kind) ?? { depth: 0, oldestAt: now };
      const counts = { confirmed: 0, failed: 0, retried: 0, ...workers[kind]?.counts() };
      return { kind, depth, oldestSeconds: Math.max(0, now - oldestAt) / 1000, ...counts };
    });
  };
}
