import type { Retention } from '../../core/events/retention.ts';
import type { Command } from '../../core/storage/command.ts';
import type { DatabaseStats } from '../../core/storage/database.ts';
import type { Announcer } from '../announcer.ts';
import type { ChangeMemory } from './change-counts.ts';
import type { WriteCounts } from './lane-writer.ts';
import type { ClockMemory } from './node-clock.ts';

/** Options of a node's writer, which can be posted to a thread. */
export interface NodeWriterOptions {
  readonly url: string;
  /** A server, which counts as a node for others; else a CLI command. */
  readonly isServer: boolean;
  readonly retention: Retention;
  /** See `Context`. */
  readonly gameStorageQuota: number;
  readonly clock: ClockMemory;
  /** See `openLane`. */
  readonly node: string;
  /** See `ChangeCounts`. */
  readonly changes: ChangeMemory;
  /** Identifies the history. */
  readonly epoch: string;
}

/** Statistics of the writing thread, or of the process. */
export type WriterStats = Omit<DatabaseStats, 'databaseBytes' | 'logBytes'>;

/**
 * Writes for a node, in the calling thread or in a separate one. Announces a new epoch when it has found acknowledged
 * commits missing and has replaced it.
 */
export interface NodeWriter extends Announcer {
  write<Args extends unknown[], Result>(
    command: Command<Args, Result>,
    args: readonly unknown[],
  ): Promise<Result>;
  /** See `LaneWriter.begin`. */
  begin(): Promise<number>;
  /** See `LaneWriter.revive`. */
  revive(): Promise<void>;
  /** See `LaneWriter.cutOff`. */
  cutOff(): void;
  /** Sets the epoch after the history was replaced. */
  setEpoch(epoch: string): void;
  counts(): Promise<WriteCounts>;
  stats(): Promise<WriterStats>;
  close(): Promise<void>;
}

/** Calls that the writer thread answers besides commands. */
export const threadCalls = {
  begin: 'acquire a lane',
  revive: 'revive the connection',
  cutOff: 'destroy the connection',
  setEpoch: 'set the epoch',
  counts: 'counts of this thread',
  stats: 'stats of this thread',
} as const;
