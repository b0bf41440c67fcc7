import type { Logger } from 'pino';

/** The interval for which repetitions are summed up. */
const intervalMs = 60_000;
/** How many of the same error are logged in full in an interval. */
const linesInFull = 3;
/** How many different errors are told apart in an interval; the others are summed up in one line per message. */
const maxErrors = 100;

interface Sum {
  level: 'warn' | 'error';
  message: string;
  error: string;
  count: number;
}

/**
 * Bounds what a fault writes to the log: as long as it lasts, every call and every background task may fail with the
 * same error. The first of each minute are logged in full; at its end, one line says how often it occurred.
 */
export class ErrorLog {
  readonly #logger: Pick<Logger, 'warn' | 'error'>;
  readonly #sums = new Map<string, Sum>();
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Pick<Logger, 'warn' | 'error'>) {
    this.#logger = logger;
  }

  /** `id`: of the call that failed. */
  add(level: 'warn' | 'error', error: unknown, message: string, id?: string): void {
    this.#timer ??= setTimeout(() => this.flush(), intervalMs).unref();
    const sum = this.#sumOf(level, message, error instanceof Error ? String(error) : 'not an error');
    sum.count++;
    if (sum.count <= linesInFull) this.#logger[level]({ err: error, id }, message);
  }

  /** Writes the sums of the current interval and begins the next. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { level, message, error, count } of this.#sums.values()) {
      if (count > linesInFull)
        this.#logger[level]({ error, count, logged: linesInFull }, `${message} (summary)`);
    }
    this.#sums.clear();
  }

  #sumOf(level: 'warn' | 'error', message: string, error: string): Sum {
    const text =
      this.#sums.size < maxErrors || this.#sums.has(`${message} ${error}`) ? error : 'other errors';
    const key = `${message} ${text}`;
    const known = this.#sums.get(key);
    if (known) return known;
    const sum = { level, message, error: text, count: 0 };
    this.#sums.set(key, sum);
    return sum;
  }
}
