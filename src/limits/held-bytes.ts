/**
 * How many bytes are in memory on behalf of callers, by a key and in all: bodies that are coming in, and answers that
 * were not taken yet. What is taken must be given back.
 */
export class HeldBytes {
  readonly #perKey: number;
  readonly #inAll: number;
  readonly #byKey = new Map<string, number>();
  #all = 0;

  constructor({ perKey, inAll }: { perKey: number; inAll: number }) {
    this.#perKey = perKey;
    this.#inAll = inAll;
  }

  get all(): number {
    return this.#all;
  }

  /** Who holds too much already, if anybody: the caller, or all callers together. */
  fullFor(key: string, more = 0): 'key' | 'all' | null {
    if ((this.#byKey.get(key) ?? 0) + more > this.#perKey) return 'key';
    return this.#all + more > this.#inAll ? 'all' : null;
  }

  take(key: string, bytes: number): void {
    this.#all += bytes;
    this.#byKey.set(key, (this.#byKey.get(key) ?? 0) + bytes);
  }

  giveBack(key: string, bytes: number): void {
    this.#all -= bytes;
    const left = (this.#byKey.get(key) ?? 0) - bytes;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}
