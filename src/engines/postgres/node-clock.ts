import { steadyClock, timeMemory } from '../../core/storage/steady-clock.ts';
import { clockIn } from '../writer-thread.ts';

/** Shared memory for one clock of all threads of a node. */
export interface ClockMemory {
  /** See `steadyClock`. */
  readonly latest: SharedArrayBuffer;
  /** How far the database's clock is ahead of this machine's, in milliseconds: a 64-bit float. */
  readonly ahead: SharedArrayBuffer;
  /** The time of a clock that replaces the database's, for tests; see `clockIn`. */
  readonly standIn: SharedArrayBuffer | undefined;
}

export function clockMemory(standIn: SharedArrayBuffer | undefined): ClockMemory {
  return { latest: timeMemory(), ahead: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT), standIn };
}

/**
 * The database's clock as estimated by this node; see `steadyClock` for clocks that are set back. Unix milliseconds.
 */
export function nodeClock({ latest, ahead, standIn }: ClockMemory): () => number {
  if (standIn) return clockIn(standIn);
  const aheadMs = clockIn(ahead);
  return steadyClock(() => Date.now() + aheadMs(), latest, 0);
}
