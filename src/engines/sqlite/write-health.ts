import { statSync } from 'node:fs';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { logBytesOf, logOf } from './write-ahead-log.ts';

/** The log is reported when it has grown to this; below, checkpoints are merely late. */
const reportedLogBytes = 256 * 1024 * 1024;
const lookAtLogEveryMs = 1_000;
/** While something is wrong, a write is tried this often, so that it is known when it no longer is. */
const probeEveryMs = 1_000;
/** Beside the writes, which go on for no longer than this into files that nobody will find again. */
const lookForFilesEveryMs = 500;

export interface WriteProbe {
  /** The database's file; it and its write-ahead log are watched. */
  file: string;
  /** Tries to write something that matters to nobody. */
  write(): Promise<void>;
}

/** Whether writes are taken, in words for whoever runs the server; and finds out by itself when they are again. */
export class WriteHealth {
  readonly #probe: WriteProbe;
  readonly #listeners: ((trouble: WriteTrouble | null) => void)[] = [];
  /** The files this process has open, by their paths. */
  readonly #opened = new Map<string, string>();
  #trouble: WriteTrouble | null = null;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #lookedAt = 0;

  constructor(probe: WriteProbe) {
    this.#probe = probe;
  }

  /** Hears what is wrong when that changes; null when nothing is. From the first listener on the files are watched. */
  onTrouble(listener: (trouble: WriteTrouble | null) => void): void {
    this.#listeners.push(listener);
    this.#areFilesInPlace(); // as this process has opened them
    this.#watch ??= setInterval(() => this.#lookForFiles(), lookForFilesEveryMs).unref();
  }

  /**
   * The file, or its log, is no longer where it was opened, or another one is: the system takes writes all the same,
   * and gives them up with the last process that has it open.
   */
  get isUnusable(): boolean {
    return this.#trouble?.isUnusable ?? false;
  }

  /** SQLite refused to write. */
  refused(code: string): void {
    if (!this.isUnusable) this.#set({ message: inWords(code), isUnusable: false });
  }

  /** Everything a batch asked for was written. */
  committed(): void {
    if (this.isUnusable) return; // it was under way
    const now = performance.now();
    if (this.#trouble === null && now - this.#lookedAt < lookAtLogEveryMs) return;
    this.#lookedAt = now;
    const bytes = logBytesOf(this.#probe.file);
    this.#set(bytes < reportedLogBytes ? null : { message: logInWords(bytes), isUnusable: false });
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
  }

  #lookForFiles(): void {
    const isGone = !this.#areFilesInPlace();
    if (isGone !== this.isUnusable) this.#set(isGone ? { message: fileGone, isUnusable: true } : null);
  }

  /** SQLite makes the log before the first write, and removes neither while this process has them open. */
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
      this.#timer = setTimeout(() => this.#probe.write().catch(() => {}), probeEveryMs).unref();
    }
    if (trouble?.message === this.#trouble?.message) return;
    this.#trouble = trouble;
    for (const listener of this.#listeners) listener(trouble);
  }
}

/** Tells a file from every other while anybody has it open; null: there is none; `unknown`: nobody may look. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(codeOf(error)) ? null : 'unknown';
  }
}

const fileGone =
  'The database is gone from the data directory, or another one is in its place. Writes are refused, because none ' +
  'would be there after a restart. Put the directory back as it was, or stop the server and restore a backup.';

function inWords(code: string): string {
  const until = 'writes are refused until then, reads go on';
  if (code === 'SQLITE_FULL') {
    return `The disk with the data directory is full. Make room on it: ${until}.`;
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return `Another process holds the write lock of the database. End it, or what it is doing: ${until}.`;
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return `The database is damaged (${code}). Stop the server, keep a copy of the data directory, and restore a backup.`;
  }
  if (/^SQLITE_(READONLY|CANTOPEN)/.test(code)) {
    return `The database cannot be written (${code}). Let this user write to the data directory: ${until}.`;
  }
  return `The disk with the data directory does not take writes (${code}). See whether it is full or failing: ${until}.`;
}

function logInWords(bytes: number): string {
  // In steps, so that its growth is not news every second.
  const mebibytes = 2 ** Math.floor(Math.log2(bytes / 1024 ** 2));
  return (
    `The write-ahead log has grown beyond ${mebibytes} MiB, because another process has had the database open for ` +
    'reading all the while (a backup, a shell). Writes go on; the log shrinks when that process lets go.'
  );
}
