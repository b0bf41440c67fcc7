import type { Database, Statement } from 'better-sqlite3';
import { codeOf } from '../../error-code.ts';
import { GantryError } from '../../errors.ts';
import type { NewEvent, StoredEvent } from '../../events/stream.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { CommitMeter } from './diagnostics.ts';
import type { EventLog } from './event-log.ts';
import type { DataVersion } from './version-cache.ts';
import { WriteHealth } from './write-health.ts';

/** What a command has at hand while it runs inside the transaction. */
export interface Transaction {
  /** Unix milliseconds; the same for the whole command. */
  readonly now: number;
  /** Writes an event with the change; it is published after the commit. Returns its seq. */
  emit(event: NewEvent): number;
  /** Something was erased that must not stay readable: soon after the commit, its traces go from the disk. */
  scrub(): void;
}

/**
 * Changes the database synchronously, wholly or (by throwing) not at all. It may be undone and run again, and does
 * nothing that would not bear that.
 */
type Command<Result> = (tx: Transaction) => Result;

interface Queued {
  command: Command<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What a group commit works with, all of the same database. */
export interface GroupCommitParts {
  events: EventLog;
  version: DataVersion;
  clock: () => number;
  meter: CommitMeter;
  checkpoints: Checkpoints;
}

/** How often a batch is tried while another process holds the write lock, 250 ms a try. */
const busyTries = 20;

/** The most commands of one transaction: bounds how long the event loop stands still for a batch. */
const maximumBatch = 1000;

/** So many batches after one with a refused command are run with a savepoint a command from the start. */
const carefulAfterRefusal = 16;

const scrubAfterMs = 100;
const scrubAgainMs = 1_000;
/** How often a store that is closed tries to empty the log while another process reads it, 250 ms a try. */
const lastScrubTries = 4;

/**
 * Group commit: the writes asked for in one turn of the event loop share one transaction and one fsync.
 * A command that throws undoes only itself. Promises settle after the commit, never before; `onCommit` then
 * hears the events in the order they were written.
 *
 * A savepoint around each command costs a fifth of all writing and is needed by the few that throw. So commands
 * run without; when one throws, the batch is undone and run again with a savepoint for each, and so are the
 * next batches.
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #events: EventLog;
  readonly #clock: () => number;
  readonly #version: DataVersion;
  readonly #meter: CommitMeter;
  readonly #statements: Record<'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'undo', Statement>;
  readonly #checkpoints: Checkpoints;
  readonly #listeners: ((events: readonly StoredEvent[]) => void)[] = [];
  #follow: (tx: Transaction, event: NewEvent) => void = () => undefined;
  #queue: Queued[] = [];
  #scheduled = false;
  #carefulBatches = 0;
  /** SQLite has refused something of this batch. */
  #isRefusing = false;
  #scrubbing: NodeJS.Timeout | undefined;
  /** Something was erased, and the log has not been emptied since. */
  #isTraceLeft = false;
  #isFinished = false;
  #idle: (() => void)[] = [];
  readonly #health: WriteHealth;

  constructor(db: Database, { events, version, clock, meter, checkpoints }: GroupCommitParts) {
    this.#meter = meter;
    this.#checkpoints = checkpoints;
    this.#version = version;
    this.#db = db;
    this.#events = events;
    this.#clock = clock;
    this.#statements = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT command'),
      release: db.prepare('RELEASE command'),
      undo: db.prepare('ROLLBACK TO command'),
    };
    this.#health = new WriteHealth({
      file: db.name,
      write: () => this.#writeSomething(),
    });
  }

  /** Hears, when that changes, why writes are refused or cost more than they should; null when all is well. */
  onTrouble(listener: (trouble: string | null) => void): void {
    this.#health.onTrouble(listener);
  }

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls what follows from every event, inside the transaction that wrote it. */
  onEmit(follow: (tx: Transaction, event: NewEvent) => void): void {
    this.#follow = follow;
  }

  /** Runs a command in the next batch; the promise settles when its outcome is durable. */
  write<Result>(command: Command<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ command, resolve: resolve as (result: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Resolves once everything asked for so far has been written. */
  drained(): Promise<void> {
    if (!this.#scheduled) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After this turn's I/O callbacks, so that every request that arrived together is in the batch.
    const flush = () => setImmediate(() => this.#flush(1));
    const held = this.#checkpoints.held();
    if (held) held.then(flush);
    else flush();
  }

  #flush(attempt: number): void {
    try {
      this.#statements.begin.run();
    } catch (error) {
      if (isBusy(error) && attempt < busyTries) {
        setImmediate(() => this.#flush(attempt + 1)); // lets the loop turn between waits
        return;
      }
      this.#fail(this.#takeBatch(), error);
      this.#next();
      return;
    }
    this.#version.begin();
    const batch = this.#takeBatch();
    const written: StoredEvent[] = [];
    const isCareful = this.#carefulBatches > 0;
    this.#isRefusing = false;
    let settles: (() => void)[];
    try {
      settles = batch.map((queued) =>
        isCareful ? this.#runAlone(queued, written) : this.#run(queued, written),
      );
      const begunAt = performance.now();
      this.#statements.commit.run();
      this.#meter.committed(batch.length, performance.now() - begunAt);
    } catch (error) {
      const isOneRefused = this.#db.inTransaction && !isCareful;
      this.#rollBack();
      if (isOneRefused) {
        this.#carefulBatches = carefulAfterRefusal;
        this.#queue = [...batch, ...this.#queue];
        this.#flush(1);
        return;
      }
      this.#fail(batch, error);
      this.#next();
      return;
    }
    if (isCareful) this.#carefulBatches--;
    if (!this.#isRefusing) this.#health.committed();
    this.#checkpoints.committed();
    for (const settle of settles) settle();
    if (written.length > 0) for (const listener of this.#listeners) listener(written);
    this.#next();
  }

  #run({ command, resolve }: Queued, written: StoredEvent[]): () => void {
    const now = this.#clock();
    const tx: Transaction = {
      now,
      emit: (event) => {
        const stored = this.#events.append(event, now);
        written.push(stored);
        this.#follow(tx, event);
        return stored.seq;
      },
      scrub: () => this.#scheduleScrub(),
    };
    const result = command(tx);
    return () => resolve(result);
  }

  /** Runs one command in a savepoint, so that it undoes itself alone when it throws. */
  #runAlone(queued: Queued, written: StoredEvent[]): () => void {
    const { savepoint, release, undo } = this.#statements;
    const before = written.length;
    savepoint.run();
    try {
      const settle = this.#run(queued, written);
      release.run();
      return settle;
    } catch (error) {
      // A full disk or an I/O error may have rolled everything back: then no command of the batch holds.
      if (!this.#db.inTransaction) throw error;
      written.length = before;
      undo.run();
      release.run();
      this.#version.invalidate();
      const failure = this.#asStoreError(error);
      return () => queued.reject(failure);
    }
  }

  #rollBack(): void {
    if (this.#db.inTransaction) this.#statements.rollback.run();
    this.#version.invalidate();
  }

  /**
   * The write-ahead log keeps earlier versions of a page until it is emptied into the file; a moment is
   * waited for more to be erased, because emptying it holds up the writes.
   */
  #scheduleScrub(afterMs = scrubAfterMs): void {
    this.#isTraceLeft = true;
    this.#scrubbing ??= setTimeout(async () => {
      this.#scrubbing = undefined;
      this.#isTraceLeft = !(await this.#checkpoints.empty());
      if (!this.#isTraceLeft || this.#isFinished) return;
      this.#scheduleScrub(scrubAgainMs);
      await this.#writeSomething().catch(() => {}); // a log is begun anew only when something is written
    }, afterMs).unref();
  }

  /** To be called before the database is closed: what was erased must not stay readable behind a process that ends. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    this.#health.stop();
    clearTimeout(this.#scrubbing);
    await this.#checkpoints.close();
    for (let tried = 0; this.#isTraceLeft && tried < lastScrubTries; tried++) {
      this.#isTraceLeft = !this.#checkpoints.emptyNow();
    }
  }

  /** Makes all forget what they remember, which harms nobody: a value as it was would not be written at all. */
  #writeSomething(): Promise<void> {
    return this.write(() => this.#version.changed());
  }

  #takeBatch(): Queued[] {
    if (this.#queue.length <= maximumBatch) {
      const batch = this.#queue;
      this.#queue = [];
      return batch;
    }
    return this.#queue.splice(0, maximumBatch);
  }

  #fail(batch: Queued[], error: unknown): void {
    this.#meter.failed();
    const failure = this.#asStoreError(error);
    for (const queued of batch) queued.reject(failure);
  }

  /** What passes (a lock, a full disk) is told to the caller as such; a defect of ours stays what it is. */
  #asStoreError(error: unknown): unknown {
    const code = codeOf(error);
    if (!/^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/.test(code)) return error;
    this.#isRefusing = true;
    this.#health.refused(code);
    return new GantryError(
      'store_unavailable',
      'The database cannot take writes right now; try again later',
      { cause: error },
    );
  }

  #next(): void {
    this.#scheduled = false;
    if (this.#queue.length > 0) {
      this.#schedule();
      return;
    }
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}
