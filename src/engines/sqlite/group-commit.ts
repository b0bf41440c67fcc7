import type { Database, Statement } from 'better-sqlite3';
import type { StoredEvent } from '../../core/events/stream.ts';
import { type AnyCommand, type Command, command, type Tx } from '../../core/storage/command.ts';
import type { CommitMeter } from '../../core/storage/commit-meter.ts';
import { RowExistsError } from '../../core/storage/row-exists.ts';
import { codeOf } from '../../runtime/error-code.ts';
import type { Announcer } from '../announcer.ts';
import { unavailable } from '../unavailable.ts';
import type { Settle } from '../writer-thread.ts';
import type { BatchRunner, Outcome } from './batch-runner.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { DataVersion } from './data-version.ts';
import { whyEnded } from './migrate.ts';
import { prepare } from './prepare.ts';
import { WriteHealth } from './write-health.ts';

interface Queued {
  command: AnyCommand;
  args: readonly unknown[];
  /** Total length of the texts in its arguments if it counts as large, otherwise 0. In UTF-16 code units. */
  largeLength: number;
  settle: Settle;
}

/** What a group commit works with, all for the same database. */
export interface GroupCommitDependencies {
  runner: BatchRunner;
  version: DataVersion;
  clock: () => number;
  meter: CommitMeter;
  checkpoints: Checkpoints;
  announcer: Announcer;
}

/** Maximum attempts at a batch while another process holds the write lock, 250 ms per attempt. */
const maxBusyAttempts = 20;

/** Maximum number of commands per transaction: bounds how long a batch blocks the event loop. */
const maxBatch = 1000;

/** Text length in UTF-16 code units from which a command counts as large. */
const largeThreshold = 128 * 1024;
/** A batch of large commands ends when it reaches this total length. */
const maxLargeBatch = 1024 * 1024;

const scrubDelayMs = 100;
const scrubRetryMs = 1_000;
/** Maximum attempts on close to empty the log while another process reads it, 250 ms per attempt. */
const maxCloseScrubAttempts = 4;

/**
 * Group commit: the commands enqueued in one turn of the event loop share one transaction and one fsync. A rejected
 * command undoes only itself. Promises settle after the commit, never before; then `onCommit` listeners get the events
 * in the order they were written.
 */
export class GroupCommit {
  readonly #runner: BatchRunner;
  readonly #db: Database;
  readonly #clock: () => number;
  readonly #version: DataVersion;
  readonly #meter: CommitMeter;
  readonly #statements: Record<'begin' | 'commit' | 'rollback', Statement>;
  readonly #checkpoints: Checkpoints;
  readonly #announcer: Announcer;
  /** `DataVersion.commits` when the schema was last found to admit this program. */
  #admittedAt: number | undefined;
  #queue: Queued[] = [];
  /** Number of large commands in the queue. */
  #largeQueued = 0;
  /** The last batch contained the large commands. */
  #wasLarge = false;
  #isScheduled = false;
  #scrubTimer: NodeJS.Timeout | undefined;
  /** Something was erased, and the log has not been emptied since. */
  #isScrubDue = false;
  #isFinished = false;
  #idle: (() => void)[] = [];
  readonly #health: WriteHealth;

  constructor(
    db: Database,
    { runner, version, clock, meter, checkpoints, announcer }: GroupCommitDependencies,
  ) {
    this.#runner = runner;
    this.#announcer = announcer;
    this.#meter = meter;
    this.#checkpoints = checkpoints;
    this.#version = version;
    this.#db = db;
    this.#clock = clock;
    this.#statements = {
      begin: prepare(db, 'BEGIN IMMEDIATE'),
      commit: prepare(db, 'COMMIT'),
      rollback: prepare(db, 'ROLLBACK'),
    };
    this.#health = new WriteHealth({
      file: db.name,
      write: () => this.#writeProbe(),
      troubled: (trouble) => announcer.announceTrouble(trouble),
    });
  }

  /** Watches whether the files are still in place, and announces it when they are not. */
  watchFiles(): void {
    this.#health.watchFiles();
  }

  /** Runs a command in the next batch; the promise settles when its outcome is durable. */
  write<Args extends unknown[], Result>(command: Command<Args, Result>, args: Args): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.enqueue(command, args, { resolve: resolve as Settle['resolve'], reject });
    });
  }

  /** The same with callbacks instead of a promise. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void {
    const largeLength = command.isExclusive ? 0 : largeLengthIn(args);
    if (largeLength > 0) this.#largeQueued++;
    this.#queue.push({ command, args, largeLength, settle });
    this.#schedule();
  }

  /** Resolves once all commands enqueued so far have been written. */
  drained(): Promise<void> {
    if (!this.#isScheduled) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Call this before closing the database: erased data must not remain readable after the process has ended. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    this.#health.stop();
    clearTimeout(this.#scrubTimer);
    await this.#checkpoints.close();
    for (let tried = 0; this.#isScrubDue && tried < maxCloseScrubAttempts; tried++) {
      this.#isScrubDue = !this.#checkpoints.emptyNow();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After this turn's I/O callbacks, so that all requests that arrived together are in the batch.
    const flush = () => setImmediate(() => this.#begin(1));
    const backPressure = this.#checkpoints.backPressure();
    if (backPressure) backPressure.then(flush);
    else flush();
  }

  #begin(attempt: number): void {
    const batch = this.#nextBatch();
    if (this.#health.isUnusable) {
      this.#fail(batch, unavailable('take writes'));
      this.#next();
      return;
    }
    try {
      this.#statements.begin.run();
    } catch (error) {
      if (isBusy(error) && attempt < maxBusyAttempts) {
        this.#queue = [...batch, ...this.#queue];
        if (this.#wasLarge) this.#largeQueued += batch.length;
        setImmediate(() => this.#begin(attempt + 1)); // does not block the event loop between attempts
        return;
      }
      this.#fail(batch, error);
      this.#next();
      return;
    }
    this.#run(batch);
    this.#next();
  }

  /** Runs a batch in the transaction that has begun. */
  #run(batch: readonly Queued[]): void {
    const commits = this.#version.begin();
    if (commits !== this.#admittedAt && !this.#isAdmitted(batch)) return;
    this.#admittedAt = commits;
    this.#runner.begin();
    let outcomes: Outcome[];
    let events: readonly StoredEvent[];
    let wakes: readonly string[];
    try {
      outcomes = batch.map(({ command, args }) => this.#runner.run(command, args, this.#clock()));
      const [first] = outcomes;
      if (batch[0]?.command.isExclusive && first && 'error' in first) {
        this.#rollBack(); // changes by its statements cannot be undone in memory
        batch[0].settle.reject(first.error);
        return;
      }
      const flushed = this.#runner.flush();
      events = flushed.events;
      wakes = flushed.wakes;
      const begunAt = performance.now();
      this.#statements.commit.run();
      this.#meter.committed(batch.length, performance.now() - begunAt);
      if (flushed.needsScrub) this.#scheduleScrub();
    } catch (error) {
      const isTransactionOpen = this.#db.inTransaction;
      this.#rollBack();
      if (batch.length > 1 && isTransactionOpen && isConstraint(error)) {
        this.#runEachAlone(batch);
        return;
      }
      this.#fail(batch, error);
      return;
    }
    this.#runner.committed();
    this.#health.committed();
    this.#checkpoints.committed();
    for (const [at, { settle }] of batch.entries()) {
      const outcome = outcomes[at];
      if (outcome && 'result' in outcome) settle.resolve(outcome.result);
      else settle.reject(outcome?.error);
    }
    this.#announcer.announceCommit(events, wakes);
  }

  /** Whether the schema still admits this program: another process may have upgraded it. If not, refuses the batch. */
  #isAdmitted(batch: readonly Queued[]): boolean {
    const why = whyEnded(this.#db);
    if (why === null) return true;
    this.#rollBack();
    this.#fail(batch, unavailable('take writes', new Error(why)));
    this.#announcer.announceEnd(why);
    return false;
  }

  /** A constraint violation on writing does not identify the command, so each is retried in a separate transaction. */
  #runEachAlone(batch: readonly Queued[]): void {
    for (const queued of batch) {
      try {
        this.#statements.begin.run();
      } catch (error) {
        this.#fail([queued], error);
        continue;
      }
      this.#run([queued]);
    }
  }

  #rollBack(): void {
    if (this.#db.inTransaction) this.#statements.rollback.run();
    this.#version.invalidate();
    this.#runner.rolledBack();
  }

  /**
   * The write-ahead log keeps earlier versions of pages until it is checkpointed and emptied. This blocks writes, so it
   * is delayed a little to cover several erasures.
   */
  #scheduleScrub(afterMs = scrubDelayMs): void {
    this.#isScrubDue = true;
    this.#scrubTimer ??= setTimeout(async () => {
      this.#scrubTimer = undefined;
      this.#isScrubDue = !(await this.#checkpoints.empty());
      if (!this.#isScrubDue || this.#isFinished) return;
      this.#scheduleScrub(scrubRetryMs);
      await this.#writeProbe().catch(() => {}); // the log is restarted only by a write
    }, afterMs).unref();
  }

  /** Writes by incrementing the cache version, which is harmless; writing an unchanged value would be a no-op. */
  #writeProbe(): Promise<void> {
    const version = this.#version;
    const probe = command('probe', function* (tx: Tx) {
      yield* tx.all();
      version.changed();
    });
    return this.write(probe, []);
  }

  /** An exclusive command gets a separate batch. */
  #nextBatch(): Queued[] {
    const exclusiveAt = this.#queue.findIndex(({ command }) => command.isExclusive);
    const length = exclusiveAt === -1 ? maxBatch : Math.min(maxBatch, Math.max(1, exclusiveAt));
    if (this.#largeQueued > 0 && exclusiveAt !== 0) return this.#batchAmongLarge(length);
    this.#wasLarge = false;
    if (this.#queue.length > length) return this.#queue.splice(0, length);
    const batch = this.#queue;
    this.#queue = [];
    return batch;
  }

  /**
   * Of the first commands in the queue, alternately takes a megabyte of large ones or all small ones: so small commands
   * never wait for more than one batch of large ones.
   */
  #batchAmongLarge(length: number): Queued[] {
    const first = this.#queue.slice(0, length);
    const small = first.filter(({ largeLength }) => largeLength === 0);
    let total = 0;
    const large = first.filter(({ largeLength }) => {
      if (largeLength === 0 || total >= maxLargeBatch) return false;
      total += largeLength;
      return true;
    });
    this.#wasLarge = large.length > 0 && (small.length === 0 || !this.#wasLarge);
    const batch = this.#wasLarge ? large : small;
    if (this.#wasLarge) this.#largeQueued -= large.length;
    const taken = new Set(batch);
    this.#queue = this.#queue.filter((queued) => !taken.has(queued));
    return batch;
  }

  #fail(batch: readonly Queued[], error: unknown): void {
    this.#meter.failed();
    const failure = this.#toFailure(error);
    for (const { settle } of batch) settle.reject(failure);
  }

  /**
   * Converts transient errors (a lock, a full disk) to `store_unavailable`, and violations of a unique index to
   * `RowExistsError`; returns unexpected errors unchanged.
   */
  #toFailure(error: unknown): unknown {
    const table = error instanceof Error && /^UNIQUE constraint failed: (\w+)\./.exec(error.message)?.[1];
    if (table && isConstraint(error)) return new RowExistsError(table, { cause: error });
    const code = codeOf(error);
    if (!/^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/.test(code)) return error;
    this.#health.refused(code);
    return unavailable('take writes', error);
  }

  #next(): void {
    this.#isScheduled = false;
    if (this.#queue.length > 0) {
      this.#schedule();
      return;
    }
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function largeLengthIn(args: readonly unknown[]): number {
  let length = 0;
  for (const argument of args) length += lengthIn(argument, 2);
  return length >= largeThreshold ? length : 0;
}

/** Total length of the texts in a value, down to this depth; arguments of commands do not nest texts deeper. */
function lengthIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (depth === 0 || typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const inner of Object.values(value)) length += lengthIn(inner, depth - 1);
  return length;
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

function isConstraint(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CONSTRAINT');
}
