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
 * Calls `call` when the clock, in milliseconds, has reached `time`, however far in the future. Returns a function that
 * cancels it.
 */
export function setTimeoutAt(time: number, call: () => void, clock: () => number = Date.now): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const left = time - clock();
    if (left <= 0) call();
    else timer = setTimeout(wait, Math.min(roundedDown(left), maxTimerMs)).unref();
  };
  wait();
  return () => clearTimeout(timer);
}
