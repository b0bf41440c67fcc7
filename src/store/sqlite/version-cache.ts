import type { Database, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/**
 * Whether another process has written to the database file (`PRAGMA data_version`): the command line works on
 * the same file as a running server. Asked of SQLite once a turn of the event loop, however often it is asked
 * here; nothing this process does in one turn can depend on what another has written during it.
 */
export class DataVersion {
  readonly #statement: Statement<[], number>;
  #current: number | undefined;
  #isFresh = false;
  #invalidations = 0;

  constructor(db: Database) {
    this.#statement = db.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /** Another text than before when another process has written, or what was read may have been undone. */
  get(): string {
    if (!this.#isFresh) {
      this.#current = this.#statement.get();
      this.#isFresh = true;
      setImmediate(() => {
        this.#isFresh = false;
      });
    }
    return `${this.#current}.${this.#invalidations}`;
  }

  /** A transaction was undone, and with it what was read inside it. */
  invalidate(): void {
    this.#invalidations++;
  }
}

/**
 * Remembers what was read from the database, and forgets all of it as soon as another process has written to
 * the file. What this process writes does not change its own data version, so writers here call `forget`.
 */
export class VersionCache<Value extends object> {
  readonly #entries: LRUCache<string, Value>;
  readonly #version: DataVersion;
  #seen: string | undefined;

  constructor(version: DataVersion, maximum: number) {
    this.#entries = new LRUCache({ max: maximum });
    this.#version = version;
  }

  /** The remembered value, or what `read` finds; null is not remembered. */
  get(key: string, read: () => Value | null): Value | null {
    const version = this.#version.get();
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

  /** Forgets one entry, or all of them. */
  forget(key?: string): void {
    if (key === undefined) this.#entries.clear();
    else this.#entries.delete(key);
  }
}
