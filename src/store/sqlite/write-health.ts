import { logBytesOf } from './write-ahead-log.ts';

/** The log is reported when it has grown to this; below, checkpoints are merely late. */
const reportedLogBytes = 256 * 1024 * 1024;
const lookAtLogEveryMs = 1_000;
/** While something is wrong, a write is tried this often, so that it is known when it no longer is. */
const probeEveryMs = 1_000;

export interface WriteProbe {
  /** The file whose write-ahead log is watched. */
  file: string;
  /** Tries to write something that matters to nobody. */
  write(): Promise<void>;
}

/** Whether writes are taken, in words for whoever runs the server; and finds out by itself when they are again. */
export class WriteHealth {
  readonly #probe: WriteProbe;
  readonly #listeners: ((trouble: string | null) => void)[] = [];
  #trouble: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;

  constructor(probe: WriteProbe) {
    this.#probe = probe;
  }

  /** Hears what is wrong when that changes; null when nothing is. */
  onTrouble(listener: (trouble: string | null) => void): void {
    this.#listeners.push(listener);
  }

  /** SQLite refused to write. */
  refused(code: string): void {
    this.#be(inWords(code));
  }

  /** Everything a batch asked for was written. */
  committed(): void {
    const now = performance.now();
    if (this.#trouble === null && now - this.#lookedAt < lookAtLogEveryMs) return;
    this.#lookedAt = now;
    const bytes = logBytesOf(this.#probe.file);
    this.#be(bytes < reportedLogBytes ? null : logInWords(bytes));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #be(trouble: string | null): void {
    clearTimeout(this.#timer);
    if (trouble !== null) {
      this.#timer = setTimeout(() => this.#probe.write().catch(() => {}), probeEveryMs).unref();
    }
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    for (const listener of this.#listeners) listener(trouble);
  }
}

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
