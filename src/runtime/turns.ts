/** Longer than most reads take; what others wait for at most, and once more for the read that exceeds it. */
const sliceMs = 2;

/**
 * Lets expensive work run one piece per turn of the event loop, so that everything else runs in between, however much
 * of it is waiting. Callers take turns: one that asks for a hundred things at once waits for itself, not the others.
 */
export class Turns {
  readonly #slots: number;
  /** What each caller waits for, in the order in which it is their turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Work in progress that let others run in between. */
  readonly #paused: (() => void)[] = [];
  #running = 0;
  #isScheduled = false;
  /** When the current piece of work began, by `performance.now()`. */
  #begunAt = 0;

  /** `slots`: how much may be in progress at the same time, where it waits for a database server. */
  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Does the work when it is the caller's turn. */
  async take<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      const before = this.#waiting.get(caller);
      if (before) before.push(start);
      else this.#waiting.set(caller, [start]);
      this.#schedule();
    });
    try {
      return await work();
    } finally {
      this.#running--;
      this.#schedule();
    }
  }

  /** Whether the work in progress has taken its time of this turn. */
  get isDue(): boolean {
    return performance.now() - this.#begunAt >= sliceMs;
  }

  /** Resolves in a later turn if a pause is due; call it between the parts of long work. */
  pause(): Promise<void> | undefined {
    if (!this.isDue) return undefined;
    return new Promise((resume) => {
      this.#paused.push(resume);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#hasNext) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begunAt = performance.now();
      this.#next();
      this.#schedule();
    });
  }

  get #hasNext(): boolean {
    return this.#paused.length > 0 || (this.#running < this.#slots && this.#waiting.size > 0);
  }

  /** Continues what was begun before it begins anything new. */
  #next(): void {
    const resume = this.#paused.shift();
    if (resume) resume();
    else this.#begin();
  }

  #begin(): void {
    const [first] = this.#waiting;
    if (!first || this.#running >= this.#slots) return;
    const [caller, starts] = first;
    const start = starts.shift();
    // To the end of the round, behind all others that are waiting.
    this.#waiting.delete(caller);
    if (starts.length > 0) this.#waiting.set(caller, starts);
    this.#running++;
    start?.();
  }
}
