import type { StoredEvent } from '../events/stream.ts';
import type { HistogramSnapshot } from '../histogram.ts';
import type { Command } from './command.ts';
import type { Query } from './query.ts';

/** What the rest of Gantry sees of storage. */
export interface Database {
  /**
   * Carries out a command. Settles when its outcome is durable, together with the events it emitted; a command that
   * rejects has changed nothing.
   * @throws GantryError of the command's own, or `store_unavailable` when the database takes no writes right now
   */
  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result>;
  /** Answers a query, which sees everything that was answered before. */
  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result>;
  /** Calls the listener after every commit with the events it wrote, in the order they were written. It must not throw. */
  onCommit(listener: (events: readonly StoredEvent[]) => void): void;
  /** Calls the listener after a commit with the workers its commands have woken (`Tx.wake`). It must not throw. */
  onWake(listener: (workers: readonly string[]) => void): void;
  /**
   * Calls the listener when it changes what is wrong with writing: the disk is full, another process is in the way.
   * Null: nothing is wrong. It must not throw.
   */
  onTrouble(listener: (trouble: WriteTrouble | null) => void): void;
  /**
   * Calls the listener when the history was replaced while it is open: a server took over that lacks some of what was
   * answered. `Read.epoch` is another one then. It must not throw.
   */
  onNewEpoch(listener: () => void): void;
  /** How the engine is doing, for metrics. */
  stats(): Promise<DatabaseStats>;
  /** Finishes the writes under way, then closes the database. */
  close(): Promise<void>;
}

/** What is wrong with writing. */
export interface WriteTrouble {
  /** A sentence for the operator. */
  message: string;
  /** Nothing can be written, and what is read may not be there later: the file is gone, or the server is away. */
  isUnusable: boolean;
}

export interface DatabaseStats {
  /** Commands in a transaction. */
  batchSizes: HistogramSnapshot;
  /** Time of a commit with its wait for the disk, in seconds. */
  commitSeconds: HistogramSnapshot;
  /** Transactions that failed with all their commands. */
  failedCommits: number;
  databaseBytes: number;
  /** Of the write-ahead log. */
  logBytes: number;
}
