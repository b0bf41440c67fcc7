import type { Database, Statement } from 'better-sqlite3';
import { prepare } from './prepare.ts';

/**
 * Cache invalidation. Several threads and processes write to the same file, each with its own caches: a change of
 * cached data increments a version in the same transaction. SQLite's `PRAGMA data_version`, which tells whether
 * anything was committed, is queried at most once per turn of the event loop and when a transaction begins; the version
 * is read only if it has changed. Nothing done in one turn can depend on writes of another process during that turn.
 */
export class DataVersion {
  readonly #statements;
  #committed: number | undefined;
  #written: number | undefined;
  #isChecked = false;
  #current = 0;
  #commits = 0;

  constructor(db: Database) {
    this.#statements = {
      committed: prepare<[], number>(db, 'PRAGMA data_version').pluck(),
      written: prepare<[], number>(db, 'SELECT version FROM remembered').pluck(),
      count: prepare(db, 'UPDATE remembered SET version = version + 1') as Statement<[]>,
    };
  }

  /** A number that changes when cached data may be stale. */
  get(): number {
    this.#checkOncePerTurn();
    return this.#current;
  }

  /**
   * A number that changes when another connection may have committed anything or this one has rolled back a
   * transaction: for data with a separate version in the database, which need not be read again until then.
   */
  commits(): number {
    this.#checkOncePerTurn();
    return this.#commits;
  }

  /** Call this when another thread of this process has committed: its writes may be read in this same turn. */
  recheck(): void {
    this.#isChecked = false;
  }

  /** A transaction has begun; its snapshot may be newer than the last check. Returns `commits()` as of it. */
  begin(): number {
    this.#check();
    return this.#commits;
  }

  /** Inside a transaction: cached data was changed. */
  changed(): void {
    this.#statements.count.run();
    this.#current++;
  }

  /** A transaction was rolled back, so data read inside it may be stale. */
  invalidate(): void {
    this.#current++;
    this.#commits++;
  }

  #checkOncePerTurn(): void {
    if (this.#isChecked) return;
    this.#check();
    this.#isChecked = true;
    setImmediate(() => {
      this.#isChecked = false;
    });
  }

  #check(): void {
    const committed = this.#statements.committed.get();
    if (committed === this.#committed) return;
    this.#committed = committed;
    this.#commits++;
    const written = this.#statements.written.get();
    if (written === this.#written) return;
    this.#written = written;
    this.#current++;
  }
}
