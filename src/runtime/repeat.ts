export interface RepeatOptions {
  /** From the end of one run to the start of the next. */
  everyMs: number;
  /** Before the first run; `everyMs` when left out. */
  firstMs?: number;
  /** Ends it: a run under way goes on to its end, and none follows. */
  signal: AbortSignal;
  /** Told of what a run throws or rejects with; the next one follows all the same. */
  report(thrown: unknown): void;
}

/**
 * Does work again and again until the signal is aborted, one run at a time. A run that answers a number of
 * milliseconds is followed after these. The timers keep no process alive.
 */
export function repeat(
  // biome-ignore lint/suspicious/noConfusingVoidType: a run may answer nothing
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
      report(thrown);
    }
    schedule(nextMs);
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  schedule(firstMs);
}
