/**
 * Limits concurrent work, in FIFO order, and frees a slot only in the next turn of the event loop, so that hundreds of
 * sockets catching up at the same time do not starve the others.
 */
export class ConcurrencyLimiter {
  readonly #slots: number;
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#used < this.#slots) this.#used++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      setImmediate(() => this.#next());
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#used--;
  }
}
