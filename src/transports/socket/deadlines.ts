/** A timer set for longer than this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Resolves when the promise has, or after that many milliseconds. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** Calls at that Unix time in milliseconds, however far off. Returns how to call it off. */
export function onceAt(time: number, call: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = time - Date.now();
    if (left <= 0) call();
    else timer = setTimeout(wait, Math.min(left, longestTimerMs)).unref();
  };
  wait();
  return () => clearTimeout(timer);
}
