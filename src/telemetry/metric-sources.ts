import type { Database } from '../core/storage/database.ts';
import type { QueueStats } from '../queue/queue-stats.ts';
import type { CallCounts } from './call-counts.ts';
import type { RecentRefusals } from './refusals.ts';

/** What metrics are read from. */
export interface MetricsParts {
  calls: Pick<CallCounts, 'counts' | 'durations'>;
  db: Pick<Database, 'stats' | 'onCommit'>;
  queue(): Promise<QueueStats[]>;
  /** Open connections of launchers. */
  sockets(): number;
  /** Bytes of requests coming in and of answers not yet taken. */
  heldBytes(): number;
  refusals: Pick<RecentRefusals, 'totals'>;
  /** Whether Redis can be used; null when none is configured. */
  redisUp(): boolean | null;
}

/** Why a connection was closed by the server. */
export type DisconnectReason = 'flood' | 'slow-reader';

/** What is counted here, since the process started. */
export interface MetricCounts {
  /** Events written, by name. */
  readonly events: ReadonlyMap<string, number>;
  readonly disconnects: Readonly<Record<DisconnectReason, number>>;
  /** Calls refused for the bytes of their caller, by whose they were. */
  readonly refused: ReadonlyMap<string, number>;
}
