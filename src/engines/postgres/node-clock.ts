import { steadyClock, timeMemory } from '../../core/storage/steady-clock.ts';
import { clockIn } from '../thread/clock-in.ts';

/** Memory in which the threads of a node keep one clock. */
export interface ClockMemory {
  /** See `steadyClock`. */
  readonly latest: SharedArrayBuffer;
  /** What the database's clock is ahead of this machine's, in milliseconds: a 64-bit float. */
  readonly ahead: SharedArrayBuffer;
  /** Where a clock that stands in for the database's keeps its time; see `clockIn`. */
  readonly standIn: SharedArrayBuffer | undefined;
}

export function clockMemory(standIn: SharedArrayBuffer | undefined): ClockMemory {
  return { latest: timeMemory(), ahead: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT), standIn };
}

/** The database's clock, as this node knows it; it does not go back. Unix milliseconds. */
export function nodeClock({ latest, ahead, standIn }: ClockMemory): () => number {
  if (standIn) return clockIn(standIn);
  const aheadMs = clockIn(ahead);
  return steadyClock(() => Date.now() + aheadMs(), latest, 0);
}
