import { createHash } from 'node:crypto';

const maxCached = 100_000;

/**
 * Ids of streams in the database: the first 128 bits of the name's SHA-256, as a UUID. Every node computes them, so
 * none has to be assigned or looked up.
 */
export class StreamIds {
  readonly #ids = new Map<string, string>();

  of(name: string): string {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const hex = createHash('sha256').update(name).digest('hex');
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    if (this.#ids.size >= maxCached) this.#ids.clear();
    this.#ids.set(name, id);
    return id;
  }
}
