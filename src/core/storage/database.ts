import type { StoredEvent } from '../events/stream.ts';
import type { HistogramSnapshot } from '../histogram.ts';
import type { Store } from './store.ts';

/** An open database, for the code that composes a server: the store, its notifications and statistics, and closing it. */
export interface Database extends Store {
  /** Calls the listener after every commit with the events it wrote, in order. It must not throw. */
  onCommit(listener: (events: readonly StoredEvent[]) => void): void;
  /** Calls the listener after a commit with the names of the workers woken by its commands. It must not throw. */
  onWake(listener: (workers: readonly string[]) => void): void;
  /**
   * Calls the listener when the health of writes changes: the disk is full, another process holds the lock. Null when
   * writes are healthy again. It must not throw.
   */
  onTrouble(listener: (trouble: WriteTrouble | null) => void): void;
  /**
   * Calls the listener when the history was replaced while the database is open: after a failover to a server that
   * lacks some acknowledged writes. `Read.epoch` has changed then. It must not throw.
   */
  onNewEpoch(listener: () => void): void;
  /**
   * Calls the listener, possibly repeatedly, when this program must not use the database any more, with the reason: a
   * newer one has changed its schema. It must not throw.
   */
  onEnd(listener: (why: string) => void): void;
  /** Statistics for metrics. */
  stats(): Promise<DatabaseStats>;
  /** Finishes the writes in flight, then closes the database. */
  close(): Promise<void>;
}

/** Why writes fail or are degraded. */
export interface WriteTrouble {
  /** A sentence for the operator. */
  message: string;
  /** Writes are impossible, and data that is read may be lost: the file is gone, or the server is unreachable. */
  isUnusable: boolean;
}

export interface DatabaseStats {
  /** Commands per transaction. */
  batchSizes: HistogramSnapshot;
  /** Duration of a commit including the fsync, in seconds. */
  commitSeconds: HistogramSnapshot;
  /** Transactions that failed with all their commands. */
  failedCommits: number;
  /** How long the writing thread has been busy since it started. */
  busySeconds: number;
  databaseBytes: number;
  /** Size of the write-ahead log. */
  logBytes: number;
}
