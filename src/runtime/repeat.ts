export interface RepeatOptions {
  /** From the end of one run to the start of the next. */
  everyMs: number;
  /** Before the first run; default `everyMs`. */
  firstMs?: number;
  /** Stops the repetition; a run in progress completes. */
  signal: AbortSignal;
  /** Called with the error of a run that failed before the abort; the next run is scheduled regardless. */
  report(thrown: unknown): void;
}

/**
 * Runs `work` repeatedly until the signal is aborted, one run at a time. A run may return the delay until the next one
 * in milliseconds. The timers do not keep the process alive.
 */
export function repeat(
  // biome-ignore lint/suspicious/noConfusingVoidType: a run may return nothing
  work: () => void | number | Promise<void | number>,
  { everyMs, firstMs = everyMs, signal, report }: RepeatOptions,
): void {
  if (signal.aborted) return;
  let timer: NodeJS.Timeout;
  const schedule = (ms: number) => {
    if (!signal.aborted) timer = setTimeout(run, ms).unref();
  };
  const run = async () => {
    let nextMs = everyMs;
    try {
      nextMs = (await work()) ?? everyMs;
    } catch (thrown) {
      // After an abort, what the work uses is being closed.
      if (!signal.aborted) report(thrown);
    }
    schedule(nextMs);
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  schedule(firstMs);
}
