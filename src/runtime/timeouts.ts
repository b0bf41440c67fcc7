/** The maximum delay of a Node timer: longer ones fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Longer waits are rounded down to a multiple of this, and followed by one for the rest. Node keeps a list of timers for
 * each duration until it has passed, even if all of them were cleared: with as many durations as sockets, a list for
 * each socket that has ever connected.
 */
const coarseMs = 60_000;

/** Resolves when the promise resolves or after `ms` milliseconds; rejects if the promise rejects before that. */
export async function withTimeout(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([promise, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

function roundedDown(ms: number): number {
  return ms > coarseMs ? ms - (ms % coarseMs) : ms;
}

/**
 * Rings when a clock has reached a time, however far in the future. A class to extend: each socket has one, and the
 * closures that a function would need take several times the memory.
 */
export abstract class Alarm {
  #time = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The clock, in milliseconds. */
  protected abstract now(): number;
  protected abstract ring(): void;

  /** Rings at this time, and not at the one that was set before. It may ring before this returns. */
  set(time: number): void {
    clearTimeout(this.#timer);
    this.#time = time;
    this.#wait();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    const left = this.#time - this.now();
    if (left <= 0) this.ring();
    else this.#timer = setTimeout(Alarm.#continue, Math.min(roundedDown(left), maxTimerMs), this).unref();
  }

  static #continue(alarm: Alarm): void {
    alarm.#wait();
  }
}
