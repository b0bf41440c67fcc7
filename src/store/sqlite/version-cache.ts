import type { Database, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/**
 * Remembers what was read from the database, and forgets all of it as soon as another process has written
 * to the file (`PRAGMA data_version`): the command line works on the same file as a running server. What
 * this process writes does not change its own data_version, so writers here call `forget`.
 */
export class VersionCache<Value extends object> {
  readonly #entries: LRUCache<string, Value>;
  readonly #dataVersion: Statement<[], number>;
  #seen: number | undefined;

  constructor(db: Database, maximum: number) {
    this.#entries = new LRUCache({ max: maximum });
    this.#dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /** The remembered value, or what `read` finds; null is not remembered. */
  get(key: string, read: () => Value | null): Value | null {
    const version = this.#dataVersion.get();
    if (version !== this.#seen) {
      this.#entries.clear();
      this.#seen = version;
    }
    const known = this.#entries.get(key);
    if (known) return known;
    const value = read();
    if (value) this.#entries.set(key, value);
    return value;
  }

  forget(): void {
    this.#entries.clear();
  }
}
