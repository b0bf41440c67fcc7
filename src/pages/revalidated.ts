/** How often a value is compared with its files while it is in use, in milliseconds: faster than a person edits and reloads. */
const checkIntervalMs = 1_000;

/**
 * A value made from files: made once for all callers who wait for it, and compared with its files at most once a
 * second, however many ask for it.
 */
export class Revalidated<Value> {
  readonly #refresh: (last: Value | undefined) => Promise<Value>;
  #last: { value: Value; checkedAt: number } | undefined;
  #inFlight: Promise<Value> | undefined;

  /** `refresh` returns the last value if its files have not changed. When it fails, the next caller tries again. */
  constructor(refresh: (last: Value | undefined) => Promise<Value>) {
    this.#refresh = refresh;
  }

  /** The value as last made or checked, even if that was long ago; undefined before the first. */
  get last(): Value | undefined {
    return this.#last?.value;
  }

  async current(): Promise<Value> {
    if (this.#last && performance.now() - this.#last.checkedAt < checkIntervalMs) return this.#last.value;
    this.#inFlight ??= this.#check().finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }

  async #check(): Promise<Value> {
    // From the beginning of the check: it may have read a file just before an edit.
    const checkedAt = performance.now();
    const value = await this.#refresh(this.#last?.value);
    this.#last = { value, checkedAt };
    return value;
  }
}
