/** A timer set for longer than this fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Resolves when the promise has, or after that many milliseconds; rejects when it does in time. */
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

/** Calls at that Unix time in milliseconds, however far off. Returns how to cancel. */
export function setTimeoutAt(time: number, call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const left = time - Date.now();
    if (left <= 0) call();
    else timer = setTimeout(wait, Math.min(left, maxTimerMs)).unref();
  };
  wait();
  return () => clearTimeout(timer);
}
