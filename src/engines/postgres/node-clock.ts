import { steadyClock, timeMemory } from '../../core/storage/steady-clock.ts';
import { clockIn } from '../writer-thread.ts';

/** Shared memory for one clock of all threads of a node. */
export interface ClockMemory {
  /** See `steadyClock`. */
  readonly latest: SharedArrayBuffer;
  /** How far the database's clock is ahead of `monotonicMs`, in milliseconds: a 64-bit float. */
  readonly ahead: SharedArrayBuffer;
  /** The time of a clock that replaces the database's, for tests; see `clockIn`. */
  readonly standIn: SharedArrayBuffer | undefined;
}

export function clockMemory(standIn: SharedArrayBuffer | undefined): ClockMemory {
  return { latest: timeMemory(), ahead: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT), standIn };
}

/**
 * A monotonic clock, the same in all threads: milliseconds since an arbitrary moment. The machine's own clock may jump
 * between two comparisons with the database's, and this node's writes would jump with it.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * The database's clock as estimated by this node; see `steadyClock` for when the database's is set back. Unix
 * milliseconds.
 */
export function nodeClock({ latest, ahead, standIn }: ClockMemory): () => number {
  if (standIn) return clockIn(standIn);
  const aheadMs = clockIn(ahead);
  return steadyClock(() => monotonicMs() + aheadMs(), latest, 0);
}
