import type { Database } from '../core/storage/database.ts';
import type { CallCounts } from './call-counts.ts';
import type { QueueStats } from './queue-stats.ts';
import type { RecentRefusals } from './refusals.ts';

/** The sources that metrics are read from. */
export interface MetricsDependencies {
  calls: Pick<CallCounts, 'counts' | 'durations'>;
  db: Pick<Database, 'stats' | 'onCommit'>;
  queue(): Promise<QueueStats[]>;
  /** Open connections of launchers. */
  sockets(): number;
  /** Bytes of incoming requests and of answers not yet read. */
  heldBytes(): number;
  refusals: Pick<RecentRefusals, 'totals'>;
  /** Whether Redis can be used; null when none is configured. */
  redisUp(): boolean | null;
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
