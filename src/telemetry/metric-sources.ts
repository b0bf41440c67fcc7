import type { Database } from '../core/storage/database.ts';
import type { CallCounts } from './call-observer.ts';
import type { RecentRefusals } from './refusals.ts';

/** The sources that metrics are read from. */
export interface MetricsDependencies {
  calls: Pick<CallCounts, 'counts' | 'durations'>;
  db: Pick<Database, 'stats' | 'onCommit'>;
  queue(): Promise<QueueStats[]>;
  /** The largest share of its storage quota that a game uses; 1: the game is full. */
  storageUsed(): Promise<number>;
  /** Bytes that may still be written to the disk with the data directory; null without one. */
  diskFree(): Promise<number | null>;
  /** Open connections of launchers. */
  sockets(): number;
  /** Players connected to this process, and sockets that follow the presence of friends. */
  presence(): { players: number; followers: number };
  /** The nodes that are known, with this one. */
  nodes(): number;
  /** Events of other nodes: delivered, or skipped since they concern nobody here; and those that were missing. */
  received(): { bus: number; skipped: number; database: number };
  /** Bytes of incoming requests and of answers not yet read. */
  heldBytes(): number;
  refusals: Pick<RecentRefusals, 'totals'>;
  /** Whether Redis can be used, and the commands sent to it; null when none is configured. */
  redis(): { isUp: boolean; commands: number } | null;
}

/** Why the server closed a connection. */
export type DisconnectReason = 'flood' | 'slow-reader';

/** The counts of `Metrics` since the process started. */
export interface MetricCounts {
  /** Events written, by name. */
  readonly events: ReadonlyMap<string, number>;
  readonly disconnects: Readonly<Record<DisconnectReason, number>>;
  /** Calls refused for exceeding a byte budget, by budget. */
  readonly refused: ReadonlyMap<string, number>;
}

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
