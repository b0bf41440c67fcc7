/** A clock that stands still until it is moved. Times in Unix milliseconds. */
export class ManualClock {
  /** The current time, for other threads to read. */
  readonly memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  readonly #now = new Float64Array(this.memory).fill(Date.UTC(2026, 0, 1));

  /** Pass this to code that takes a clock. */
  readonly read = (): number => this.now;

  get now(): number {
    return this.#now[0] ?? 0;
  }

  advance(ms: number): void {
    this.#now[0] = this.now + ms;
  }
}
