/**
 * Lets a few pieces of work be done in one turn of the event loop, in the order they were asked for, so that hundreds of
 * sockets that catch up together leave the others their time.
 */
export class Turns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken < this.#perTurn) this.#taken++;
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
    else this.#taken--;
  }
}
