/**
 * Limits concurrent work, in FIFO order. A slot is freed only in the next turn of the event loop, so that hundreds of
 * sockets catching up at the same time do not starve the others; within `sharedMs` of the first work of a turn it is freed
 * at once, since a turn costs as much as a short read.
 */
export class ConcurrencyLimiter {
  readonly #slots: number;
  readonly #sharedMs: number;
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  /** By `performance.now()`; null before the first work of a turn. */
  #sharedUntil: number | null = null;

  constructor(slots: number, sharedMs = 0) {
    this.#slots = slots;
    this.#sharedMs = sharedMs;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#used < this.#slots) this.#used++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#sharedMs > 0) this.#beginTurn();
    try {
      return await work();
    } finally {
      if (this.#sharedUntil !== null && performance.now() < this.#sharedUntil) this.#next();
      else setImmediate(() => this.#next());
    }
  }

  #beginTurn(): void {
    if (this.#sharedUntil !== null) return;
    this.#sharedUntil = performance.now() + this.#sharedMs;
    setImmediate(() => {
      this.#sharedUntil = null;
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#used--;
  }
}
