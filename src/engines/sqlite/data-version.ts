import type { Database, Statement } from 'better-sqlite3';

/**
 * Whether what is remembered of the database still holds. Several threads and processes write the same file,
 * each with memories of its own: whoever changes something that is remembered counts a version up, in the
 * transaction of the change. Whether anything was committed at all (`PRAGMA data_version`) is asked of SQLite
 * once a turn of the event loop and when a transaction begins, however often it is asked here, and the version
 * is read only then; nothing done in one turn can depend on what another process has written during it.
 */
export class DataVersion {
  readonly #statements;
  #committed: number | undefined;
  #written: number | undefined;
  #isFresh = false;
  #current = 0;
  #commits = 0;

  constructor(db: Database) {
    this.#statements = {
      committed: db.prepare<[], number>('PRAGMA data_version').pluck(),
      written: db.prepare<[], number>('SELECT version FROM remembered').pluck(),
      count: db.prepare('UPDATE remembered SET version = version + 1') as Statement<[]>,
    };
  }

  /** Another number than before when what is remembered may no longer hold. */
  get(): number {
    this.#beFresh();
    return this.#current;
  }

  /**
   * Another number than before when another connection may have committed anything, or a transaction of this one
   * was undone: for what has a version of its own in the database, which need not be read again until then.
   */
  commits(): number {
    this.#beFresh();
    return this.#commits;
  }

  /** Another thread of this process has committed: what it answers may be asked for in this very turn. */
  recheck(): void {
    this.#isFresh = false;
  }

  /** A transaction has begun: from here on the database is as it is now, which may be later than the last look. */
  begin(): void {
    this.#look();
  }

  /** Inside a transaction: something that is remembered was changed. */
  changed(): void {
    this.#statements.count.run();
    this.#current++;
  }

  /** A transaction was undone, and with it what was read inside it. */
  invalidate(): void {
    this.#current++;
    this.#commits++;
  }

  #beFresh(): void {
    if (this.#isFresh) return;
    this.#look();
    this.#isFresh = true;
    setImmediate(() => {
      this.#isFresh = false;
    });
  }

  #look(): void {
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
