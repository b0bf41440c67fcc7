import { statSync } from 'node:fs';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { logBytesOf, logOf } from './write-ahead-log.ts';

/** The log is reported when it has grown to this size; below it, checkpoints are merely late. */
const reportedLogBytes = 256 * 1024 * 1024;
const logCheckIntervalMs = 1_000;
/** While writes fail, one is attempted at this interval, to detect recovery. */
const probeIntervalMs = 1_000;
/** Bounds how long writes continue after the files were deleted or replaced. */
const fileCheckIntervalMs = 500;

export interface WriteProbe {
  /** The database file; it and its write-ahead log are watched. */
  file: string;
  /** Attempts a write without effect. */
  write(): Promise<void>;
  /** Called when the trouble changes; null when there is none. */
  troubled(trouble: WriteTrouble | null): void;
}

/** Tracks whether writes succeed, describes failures for the operator, and detects recovery by probing. */
export class WriteHealth {
  readonly #probe: WriteProbe;
  /** The identity of the files that this process has open, by path. */
  readonly #opened = new Map<string, string>();
  #trouble: WriteTrouble | null = null;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(probe: WriteProbe) {
    this.#probe = probe;
  }

  watchFiles(): void {
    this.#areFilesInPlace(); // records the files that this process has opened
    this.#watch ??= setInterval(() => this.#checkFiles(), fileCheckIntervalMs).unref();
  }

  /**
   * The file or its log was deleted or replaced. The system still accepts writes, but discards them when the last
   * process closes the file.
   */
  get isUnusable(): boolean {
    return this.#trouble?.isUnusable ?? false;
  }

  /** Call this when a write failed, with SQLite's error code. */
  refused(code: string): void {
    if (!this.isUnusable) this.#set({ message: describeFailure(code), isUnusable: false });
  }

  /** Call this when a batch was committed. */
  committed(): void {
    if (this.isUnusable) return; // the batch was already in flight
    const now = performance.now();
    if (this.#trouble === null && now - this.#checkedAt < logCheckIntervalMs) return;
    this.#checkedAt = now;
    const bytes = logBytesOf(this.#probe.file);
    this.#set(bytes < reportedLogBytes ? null : { message: describeLogGrowth(bytes), isUnusable: false });
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
  }

  #checkFiles(): void {
    const isGone = !this.#areFilesInPlace();
    if (isGone !== this.isUnusable) this.#set(isGone ? { message: fileGone, isUnusable: true } : null);
  }

  /** SQLite creates the log before the first write, and removes neither file while this process has them open. */
  #areFilesInPlace(): boolean {
    return [this.#probe.file, logOf(this.#probe.file)].every((path) => {
      const found = identityOf(path);
      const opened = this.#opened.get(path);
      if (found !== null && opened === undefined) this.#opened.set(path, found);
      return opened === undefined || found === 'unknown' || found === opened;
    });
  }

  #set(trouble: WriteTrouble | null): void {
    clearTimeout(this.#timer);
    if (trouble !== null && !trouble.isUnusable) {
      this.#timer = setTimeout(() => this.#probe.write().catch(() => {}), probeIntervalMs).unref();
    }
    if (trouble?.message === this.#trouble?.message) return;
    this.#trouble = trouble;
    this.#probe.troubled(trouble);
  }
}

/** Identifies a file while it is open in any process; null when there is none, `unknown` when access is denied. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(codeOf(error)) ? null : 'unknown';
  }
}

const fileGone =
  'The database is gone from the data directory, or was replaced. Writes are rejected, because they would be lost at a ' +
  'restart. Put the original files back, or stop the server and restore a backup.';

function describeFailure(code: string): string {
  const until = 'writes are rejected until then, reads continue';
  if (code === 'SQLITE_FULL') {
    return `The disk with the data directory is full. Make room on it: ${until}.`;
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return `Another process holds the write lock of the database. Stop it or wait for it to finish: ${until}.`;
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return `The database is damaged (${code}). Stop the server, keep a copy of the data directory, and restore a backup.`;
  }
  if (/^SQLITE_(READONLY|CANTOPEN)/.test(code)) {
    return `The database cannot be written (${code}). Grant this user write access to the data directory: ${until}.`;
  }
  return `Writes to the disk with the data directory fail (${code}). Check whether it is full or failing: ${until}.`;
}

function describeLogGrowth(bytes: number): string {
  // Rounded down to a power of two, so that growth is not reported every second.
  const mebibytes = 2 ** Math.floor(Math.log2(bytes / 1024 ** 2));
  return (
    `The write-ahead log has grown beyond ${mebibytes} MiB, because another process (a backup, a shell) has a ` +
    'long-running read transaction. Writes continue; the log shrinks when that process ends its transaction.'
  );
}
