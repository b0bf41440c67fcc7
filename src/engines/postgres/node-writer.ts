import type { Retention } from '../../core/events/retention.ts';
import type { Command } from '../../core/storage/command.ts';
import type { Database, DatabaseStats } from '../../core/storage/database.ts';
import type { WriteCounts } from './lane-writer.ts';
import type { ClockMemory } from './node-clock.ts';

/** What a node's writer is made with; it can go to a thread. */
export interface NodeWriterOptions {
  readonly url: string;
  /** A server, which others see; else a command. */
  readonly isServer: boolean;
  readonly retention: Retention;
  readonly clock: ClockMemory;
  /** What the history is called. */
  readonly epoch: string;
}

/** Of the thread that writes, or of the process. */
export type WriterStats = Pick<DatabaseStats, 'batchSizes' | 'commitSeconds' | 'failedCommits'>;

/** What writes for a node: in its process, or in a thread of its own. */
export interface NodeWriter extends Pick<Database, 'onCommit' | 'onWake' | 'onTrouble' | 'close'> {
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
  /** The history has another name by now. */
  historyIs(epoch: string): void;
  /** Calls the listener when this writer has found that what it had written is not all there, and has renamed the history. */
  onNewEpoch(listener: (epoch: string) => void): void;
  counts(): Promise<WriteCounts>;
  stats(): Promise<WriterStats>;
}

/** What its thread answers beside commands. */
export const threadCalls = {
  begin: 'take a lane',
  revive: 'revive the connection',
  cutOff: 'cut the connection off',
  historyIs: 'take over the name of the history',
  counts: 'counts of this thread',
  stats: 'stats of this thread',
} as const;
