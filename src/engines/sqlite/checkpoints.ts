import { truncateSync } from 'node:fs';
import SqliteDatabase, { type Database, type Statement } from 'better-sqlite3';
import { codeOf } from '../../runtime/error-code.ts';
import { busyTimeoutMs } from './open-database.ts';
import { checkpointBytes, frameHeaderBytes, logBytesOf, logLimitBytes, logOf } from './write-ahead-log.ts';

/** Copies from the write-ahead log into the file beside the one that writes, who need not wait for it. */
export interface LogCopier {
  /** Copies what is committed and nobody else's view needs where it is; resolves to false when it could not try. */
  copy(): Promise<boolean>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** How far the log has come, in frames of a page each, since it was last restarted; and how much of it is in the file. */
interface Frames {
  log: number;
  checkpointed: number;
}

/** Of `PRAGMA wal_checkpoint`: `busy` is 1 when others kept it from doing all it was asked to. */
interface Answer extends Frames {
  busy: 0 | 1;
}

const nothing: Answer = { busy: 1, log: 0, checkpointed: 0 };

/** So little that the writer copies it itself, which nobody notices. */
const littleBytes = 4 * 1024 * 1024;
/** While someone's old view keeps the log from being copied, it is tried this often. */
const tryAgainMs = 100;
/** How long emptying the log waits for readers, with all writes standing still. */
const readersMs = 20;

/** Cut off a file at once: the system gives its memory back page by page, some 5 ms for as much as this. */
const pieceBytes = 16 * 1024 * 1024;
/** Of a very long file more, so that it is short within seconds. */
const mostPieces = 50;
const betweenPiecesMs = 20;
/** A longer file than this is not cut off whole. */
const longBytes = 2 * logLimitBytes;

/**
 * Copies the write-ahead log into the file when it has grown long, and cuts its own file back.
 *
 * SQLite would do both within a commit, which waits for all of it: for most of a second when a reader has let the
 * log grow. So a copier copies while commits go on, and the writer only the little that came in meanwhile, after
 * which SQLite restarts the log; and the file is cut back piece by piece. Without a copier (in a command, which
 * writes little) SQLite does as it always does.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #copier: LogCopier | null;
  readonly #statements: Record<'look' | 'copy' | 'empty', Statement<[], Answer>>;
  readonly #pageBytes: number;
  #copying: Promise<void> | null = null;
  /** How far the log may come while it is being copied. */
  #heldAt = Number.POSITIVE_INFINITY;
  #isHeld = false;
  #notBefore = 0;
  #cutting: { timer: NodeJS.Timeout; observer: Database } | null = null;
  /** From here on the database may be closed at any moment. */
  #isClosed = false;

  constructor(db: Database, copier: LogCopier | null = null) {
    this.#db = db;
    this.#copier = copier;
    this.#statements = {
      look: db.prepare('PRAGMA wal_checkpoint(NOOP)'),
      copy: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
      empty: db.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
    };
    this.#pageBytes = Number(db.pragma('page_size', { simple: true }));
    if (!copier) return;
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('journal_size_limit = -1');
    this.#cutSoon(); // what a process before this one may have left
  }

  /** To be called after every commit. */
  committed(): void {
    if (!this.#copier) return;
    const { log, checkpointed } = this.#ask('look');
    if (this.#copying) {
      this.#isHeld = log > this.#heldAt;
      return;
    }
    if (log < this.#frames(checkpointBytes) || performance.now() < this.#notBefore) return;
    if (log - checkpointed > this.#frames(littleBytes)) {
      this.#copyElsewhere(this.#copier);
      return;
    }
    this.#ask('copy');
    this.#cutSoon();
  }

  /**
   * What the next commit has to wait for, or null: a disk that takes a log in order may be slower at putting pages
   * where they belong, and the log must not grow faster than it is copied.
   */
  backPressure(): Promise<void> | null {
    return this.#isHeld ? this.#copying : null;
  }

  /**
   * Empties the log, and says whether it could: not while another process reads it, or the disk has no room for it;
   * and a very long one only after some more commits.
   */
  async empty(): Promise<boolean> {
    if (this.#copier) {
      if (this.#isMuchLeft()) await (this.#copying ?? this.#copyElsewhere(this.#copier));
      if (this.#isClosed || this.#isMuchLeft()) return false;
      this.#ask('copy');
      this.#cutSoon();
      if (logBytesOf(this.#db.name) > longBytes) return false;
    }
    this.#db.pragma(`busy_timeout = ${readersMs}`);
    try {
      return this.emptyNow();
    } finally {
      this.#db.pragma(`busy_timeout = ${busyTimeoutMs}`);
    }
  }

  /** The same at once, and for as long as it takes. */
  emptyNow(): boolean {
    return this.#ask('empty').busy === 0;
  }

  /** Ends what goes on beside the writes, and waits for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopCutting();
    await this.#copier?.close();
  }

  async #copyElsewhere(copier: LogCopier): Promise<void> {
    const { log, checkpointed } = this.#ask('look');
    // By half of what there is to copy: so each time there is less, until it is little.
    this.#heldAt = log + Math.max(this.#frames(littleBytes), (log - checkpointed) / 2);
    this.#copying = copier.copy().then((hasTried) => {
      this.#copying = null;
      this.#isHeld = false;
      if (this.#isClosed) return;
      if (!hasTried) this.#ask('copy');
      if (this.#ask('look').checkpointed === checkpointed) this.#notBefore = performance.now() + tryAgainMs;
    });
    await this.#copying;
  }

  #isMuchLeft(): boolean {
    const { log, checkpointed } = this.#ask('look');
    return log - checkpointed > this.#frames(littleBytes);
  }

  /** Cuts the log's file back once SQLite has restarted the log, at the beginning of it. */
  #cutSoon(): void {
    if (this.#cutting || logBytesOf(this.#db.name) <= logLimitBytes) return;
    const observer = new SqliteDatabase(this.#db.name);
    const look = observer.prepare<[], Frames>('PRAGMA wal_checkpoint(NOOP)'); // answered to no one who is in a transaction
    const isShort = () => (look.get()?.log ?? 0) < this.#frames(logLimitBytes);
    const timer = setInterval(() => {
      try {
        if (isShort() && !this.#cut(isShort)) this.#stopCutting();
      } catch (error) {
        if (codeOf(error) === '') throw error;
        this.#stopCutting(); // the disk fails: whoever commits after it has mended begins again
      }
    }, betweenPiecesMs).unref();
    this.#cutting = { timer, observer };
  }

  #stopCutting(): void {
    clearInterval(this.#cutting?.timer);
    this.#cutting?.observer.close();
    this.#cutting = null;
  }

  /**
   * Cuts one piece off, and says whether more is to be cut. While nobody can write, what lies behind the last frame
   * is nobody's: SQLite itself cuts it off then.
   */
  #cut(isShort: () => boolean): boolean {
    const file = this.#db.name;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      if (!isShort()) return true;
      const bytes = logBytesOf(file);
      const wanted = Math.max(logLimitBytes, bytes - Math.max(pieceBytes, Math.floor(bytes / mostPieces)));
      if (wanted < bytes) truncateSync(logOf(file), wanted);
      return wanted > logLimitBytes;
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }

  #frames(bytes: number): number {
    return bytes / (this.#pageBytes + frameHeaderBytes);
  }

  /** What the disk does not take (it is full, it fails) the next commit will meet, and tell. */
  #ask(what: 'look' | 'copy' | 'empty'): Answer {
    try {
      return this.#statements[what].get() ?? nothing;
    } catch (error) {
      if (codeOf(error) === '') throw error;
      return nothing;
    }
  }
}
