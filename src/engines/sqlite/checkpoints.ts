import { truncateSync } from 'node:fs';
import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
import { codeOf } from '../../runtime/error-code.ts';
import { busyTimeoutMs } from './open-database.ts';
import { prepare } from './prepare.ts';
import { checkpointBytes, frameHeaderBytes, logBytesOf, logLimitBytes, logOf } from './write-ahead-log.ts';

/** Checkpoints the write-ahead log in the background, so that the writer does not have to wait for it. */
export interface LogCopier {
  /** Runs a passive checkpoint; resolves to false when it could not be attempted. */
  copy(): Promise<boolean>;
  /** Waits for the checkpoint in progress. */
  close(): Promise<void>;
}

/** The length of the log since its last restart, and how much of it has been checkpointed; in frames of one page. */
interface Frames {
  log: number;
  checkpointed: number;
}

/** The result of `PRAGMA wal_checkpoint`: `busy` is 1 when other connections prevented its completion. */
interface CheckpointResult extends Frames {
  busy: 0 | 1;
}

const noResult: CheckpointResult = { busy: 1, log: 0, checkpointed: 0 };

/** Up to this size, the writer checkpoints the log itself without noticeable delay. */
const smallBytes = 4 * 1024 * 1024;
/** Retry interval while a reader's old snapshot prevents progress. */
const retryDelayMs = 100;
/** How long emptying the log waits for readers, while all writes are blocked. */
const readerTimeoutMs = 20;

/** Truncated at once: the system frees the memory page by page, in about 5 ms for this size. */
const chunkBytes = 16 * 1024 * 1024;
/** A very long file is truncated by this fraction of its length at once, so that it is short within seconds. */
const chunkDivisor = 50;
const chunkIntervalMs = 20;
/** A file longer than this is not truncated at once. */
const longBytes = 2 * logLimitBytes;

/**
 * Checkpoints the write-ahead log when it has grown long, and truncates its file.
 *
 * SQLite would do both within a commit, which would block for most of a second after a reader has let the log grow. So
 * a copier checkpoints the log while commits continue, and the writer only the small rest, after which SQLite restarts
 * the log; and the file is truncated in chunks. Without a copier (in a command, which writes little) SQLite's automatic
 * checkpoints are used.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #copier: LogCopier | null;
  readonly #statements: Record<'status' | 'copy' | 'empty', Statement<[], CheckpointResult>>;
  readonly #pageBytes: number;
  #copying: Promise<void> | null = null;
  /** The log length at which commits are held back while it is being copied. */
  #holdAt = Number.POSITIVE_INFINITY;
  #isHeld = false;
  #notBefore = 0;
  #truncation: { timer: NodeJS.Timeout; observer: Database } | null = null;
  /** The database may be closed at any time from here on. */
  #isClosed = false;

  constructor(db: Database, copier: LogCopier | null = null) {
    this.#db = db;
    this.#copier = copier;
    this.#statements = {
      status: prepare(db, 'PRAGMA wal_checkpoint(NOOP)'),
      copy: prepare(db, 'PRAGMA wal_checkpoint(PASSIVE)'),
      empty: prepare(db, 'PRAGMA wal_checkpoint(TRUNCATE)'),
    };
    this.#pageBytes = Number(db.pragma('page_size', { simple: true }));
    if (!copier) return;
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('journal_size_limit = -1');
    this.#startTruncating(); // an earlier process may have left a long file
  }

  /** Call this after every commit. */
  committed(): void {
    if (!this.#copier) return;
    const { log, checkpointed } = this.#checkpoint('status');
    if (this.#copying) {
      this.#isHeld = log > this.#holdAt;
      return;
    }
    if (log < this.#frames(checkpointBytes) || performance.now() < this.#notBefore) return;
    if (log - checkpointed > this.#frames(smallBytes)) {
      this.#copyInBackground(this.#copier);
      return;
    }
    this.#checkpoint('copy');
    this.#startTruncating();
  }

  /**
   * Back-pressure: what the next commit has to wait for, or null. A disk may be slower at writing scattered pages than
   * at appending to the log, and the log must not grow faster than it is copied.
   */
  backPressure(): Promise<void> | null {
    return this.#isHeld ? this.#copying : null;
  }

  /**
   * Empties the log and returns whether it succeeded. It fails while another process reads the log or when the disk is
   * full; a very long log can be emptied only after some more commits.
   */
  async empty(): Promise<boolean> {
    if (this.#copier) {
      if (this.#isBacklogLarge()) await (this.#copying ?? this.#copyInBackground(this.#copier));
      if (this.#isClosed || this.#isBacklogLarge()) return false;
      this.#checkpoint('copy');
      this.#startTruncating();
      if (logBytesOf(this.#db.name) > longBytes) return false;
    }
    this.#db.pragma(`busy_timeout = ${readerTimeoutMs}`);
    try {
      return this.emptyNow();
    } finally {
      this.#db.pragma(`busy_timeout = ${busyTimeoutMs}`);
    }
  }

  /** The same synchronously, for as long as it takes. */
  emptyNow(): boolean {
    return this.#checkpoint('empty').busy === 0;
  }

  /** Stops background work and waits for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTruncating();
    await this.#copier?.close();
  }

  async #copyInBackground(copier: LogCopier): Promise<void> {
    const { log, checkpointed } = this.#checkpoint('status');
    // The log may grow by half of what remains to be copied, so that each round has less, until it is small.
    this.#holdAt = log + Math.max(this.#frames(smallBytes), (log - checkpointed) / 2);
    this.#copying = copier.copy().then((hasTried) => {
      this.#copying = null;
      this.#isHeld = false;
      if (this.#isClosed) return;
      if (!hasTried) this.#checkpoint('copy');
      if (this.#checkpoint('status').checkpointed === checkpointed)
        this.#notBefore = performance.now() + retryDelayMs;
    });
    await this.#copying;
  }

  #isBacklogLarge(): boolean {
    const { log, checkpointed } = this.#checkpoint('status');
    return log - checkpointed > this.#frames(smallBytes);
  }

  /** Truncates the log file once SQLite has restarted the log at its beginning. */
  #startTruncating(): void {
    if (this.#truncation || logBytesOf(this.#db.name) <= logLimitBytes) return;
    const observer = new SqliteDatabase(this.#db.name);
    // On a separate connection, because it fails on one that is in a transaction.
    const status = prepare<[], Frames>(observer, 'PRAGMA wal_checkpoint(NOOP)');
    const isShort = () => (status.get()?.log ?? 0) < this.#frames(logLimitBytes);
    const timer = setInterval(() => {
      try {
        if (isShort() && !this.#truncateChunk(isShort)) this.#stopTruncating();
      } catch (error) {
        if (codeOf(error) === '') throw error;
        this.#stopTruncating(); // the disk fails: a commit after it has recovered starts again
      }
    }, chunkIntervalMs).unref();
    this.#truncation = { timer, observer };
  }

  #stopTruncating(): void {
    clearInterval(this.#truncation?.timer);
    this.#truncation?.observer.close();
    this.#truncation = null;
  }

  /**
   * Truncates the file by one chunk and returns whether more is left. While the write lock is held, everything after
   * the last frame is unused: SQLite itself truncates it then.
   */
  #truncateChunk(isShort: () => boolean): boolean {
    const file = this.#db.name;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      if (!isShort()) return true;
      const bytes = logBytesOf(file);
      const wanted = Math.max(logLimitBytes, bytes - Math.max(chunkBytes, Math.floor(bytes / chunkDivisor)));
      if (wanted < bytes) truncateSync(logOf(file), wanted);
      return wanted > logLimitBytes;
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }

  #frames(bytes: number): number {
    return bytes / (this.#pageBytes + frameHeaderBytes);
  }

  /** Disk errors are ignored here: the next commit gets and reports them. */
  #checkpoint(what: 'status' | 'copy' | 'empty'): CheckpointResult {
    try {
      return this.#statements[what].get() ?? noResult;
    } catch (error) {
      if (codeOf(error) === '') throw error;
      return noResult;
    }
  }
}
