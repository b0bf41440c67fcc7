import type { Retention } from '../../core/events/retention.ts';

/** What the thread that writes to a database file is started with. */
export interface WriterOptions {
  file: string;
  /** See `clockIn`; left out, the time is the real one. */
  clock: SharedArrayBuffer | undefined;
  /** See `steadyClock`. */
  time: SharedArrayBuffer;
  retention: Retention;
}

/** By this name the thread answers with its figures. */
export const statsCall = 'stats of this thread';
