import type { Retention } from '../../core/events/retention.ts';

/** Start data of the writer thread of a database file. */
export interface WriterOptions {
  file: string;
  /** See `clockIn`; undefined: the system clock. */
  clock: SharedArrayBuffer | undefined;
  /** See `steadyClock`. */
  time: SharedArrayBuffer;
  retention: Retention;
  /** See `Context`. */
  gameStorageQuota: number;
}

/** Name of the call that returns the thread's statistics. */
export const statsCall = 'stats of this thread';
