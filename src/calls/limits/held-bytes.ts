/**
 * The bytes in memory on behalf of callers, per key and in total: incoming bodies, and answers that have not been read
 * yet. Bytes that are taken must be released.
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

  /** Which limit `more` bytes would exceed: the key's, that of all callers together, or none (null). */
  exceededLimit(key: string, more = 0): 'key' | 'all' | null {
    if ((this.#byKey.get(key) ?? 0) + more > this.#perKey) return 'key';
    return this.#all + more > this.#inAll ? 'all' : null;
  }

  take(key: string, bytes: number): void {
    this.#all += bytes;
    this.#byKey.set(key, (this.#byKey.get(key) ?? 0) + bytes);
  }

  release(key: string, bytes: number): void {
    this.#all -= bytes;
    const left = (this.#byKey.get(key) ?? 0) - bytes;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}
