/** A clock that stands still until it is moved. Times in Unix milliseconds. */
export class ManualClock {
  #now = Date.UTC(2026, 0, 1);

  /** To be handed to what takes a clock. */
  readonly read = (): number => this.#now;

  get now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}
