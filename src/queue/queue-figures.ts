import type { ChainWriter } from '../rules/chain/chain-writer.ts';
import type { ActionStore } from '../store/store.ts';
import type { QueueWorker } from './queue-worker.ts';

/** How a kind of action stands. Depth and age are of the store; the counts are this process's since its start. */
export interface QueueFigure {
  kind: string;
  /** Actions queued or submitted. */
  depth: number;
  /** Of the oldest of them, in seconds; 0 when there is none. */
  oldestSeconds: number;
  confirmed: number;
  failed: number;
  /** Tries put off; a chain's transactions are sent on without being counted anew. */
  retried: number;
}

/** Reads figures of the queue for metrics; what it asks of the store is a read. */
export function queueFigures(
  actions: Pick<ActionStore, 'figures'>,
  { worker, chains }: { worker: QueueWorker; chains: ChainWriter },
): () => Promise<QueueFigure[]> {
  return async () => {
    const standing = new Map((await actions.figures()).map((one) => [one.kind, one]));
    const counts = new Map([...worker.counts(), ['chain', { ...chains.counts(), retried: 0 }]]);
    const now = Date.now();
    return [...new Set([...standing.keys(), ...counts.keys()])].map((kind) => {
      const { depth, oldestAt } = standing.get(kind) ?? { depth: 0, oldestAt: now };
      const { confirmed, failed, retried } = counts.get(kind) ?? { confirmed: 0, failed: 0, retried: 0 };
      return { kind, depth, oldestSeconds: Math.max(0, now - oldestAt) / 1000, confirmed, failed, retried };
    });
  };
}
