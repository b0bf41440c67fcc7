import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type {
  BackupDownload,
  BackupKind,
  BackupLink,
  BackupRecord,
  Backups,
  RunningBackup,
} from '../administration/backups.ts';
import type { AdminCaller } from '../administrators/administrator.ts';
import { findAdministrator } from '../administrators/queries.ts';
import { operators } from '../core/schemas/admin-role.ts';
import type { Database } from '../core/storage/database.ts';
import type { CopyProgress } from '../core/storage/database-file.ts';
import { GantryError } from '../errors.ts';
import type { SecretBox } from '../games/game-secret.ts';
import { startThread } from '../runtime/start-thread.ts';

/** What the thread is given; see `backup-thread.ts`. */
export interface BackupThreadData {
  dataDirectory: string;
  file: string;
  withoutKeys: boolean;
}

/** What the thread tells. */
export type FromBackupThread =
  | { progress: CopyProgress }
  | { made: { bytes: number; madeAt: number } }
  | { failed: { message: string; code: string } };

const linkLifetimeMs = 60_000;
/** Between two looks at whether a download may still go on. */
const recheckMs = 1_000;
/** What a process that was killed has left unfinished goes after a day. */
const leftoverMs = 24 * 60 * 60 * 1000;

const namePattern =
  /^gantry-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(manual|scheduled)(-no-keys)?\.gantry$/;
const leftoverPattern = /^gantry-.+\.gantry\..+\.partial(-journal)?$/;

/** What a link says, sealed: nobody else can make one, and every process that has the key can read it. */
const linkContents = z.object({
  use: z.literal('download a backup'),
  id: z.uuid(),
  name: z.string().regex(namePattern),
  administratorId: z.string().nullable(),
  expiresAt: z.int(),
});

export interface BackupDirectoryParts {
  dataDirectory: string;
  directory: string;
  db: Database;
  box: SecretBox;
  /** Told why a backup was not made, for the log; null: there is none, so the error itself says it. */
  report: ((thrown: unknown) => void) | null;
}

/**
 * Backups in a directory that nobody else can read, each with the time in its name. Made in a thread of its own, one at a
 * time.
 */
export class BackupDirectory implements Backups {
  readonly unavailable = null;
  readonly #parts: BackupDirectoryParts;
  readonly #usedLinks = new Map<string, number>();
  readonly #closing = new AbortController();
  #running: { state: RunningBackup; ended: Promise<unknown> } | null = null;

  constructor(parts: BackupDirectoryParts) {
    this.#parts = parts;
  }

  async list(): Promise<BackupRecord[]> {
    const found = await Promise.all((await this.#names()).map((name) => this.#record(name)));
    return found.filter((record) => record !== null).toSorted((one, other) => other.madeAt - one.madeAt);
  }

  running(): RunningBackup | null {
    return this.#running && { ...this.#running.state };
  }

  async make(kind: BackupKind, { withoutKeys }: { withoutKeys: boolean }): Promise<BackupRecord> {
    // A scheduled one waits for its turn: nobody would ask for it again.
    while (kind === 'scheduled' && this.#running) await this.#running.ended;
    if (this.#running) {
      throw new GantryError('backup_running', 'A backup is being made already; wait until it is complete');
    }
    const startedAt = Date.now();
    const state: RunningBackup = { kind, startedAt, copiedPages: 0, totalPages: 0 };
    const made = this.#make(state, withoutKeys);
    this.#running = { state, ended: made.catch(() => undefined) };
    try {
      return await made;
    } finally {
      this.#running = null;
    }
  }

  async keepLast(count: number): Promise<void> {
    const scheduled = (await this.list()).filter(({ kind }) => kind === 'scheduled');
    await Promise.all(scheduled.slice(count).map(({ name }) => rm(this.#path(name), { force: true })));
  }

  async remove(name: string): Promise<void> {
    await this.#require(name);
    await rm(this.#path(name), { force: true });
  }

  async link(name: string, { administratorId }: AdminCaller): Promise<BackupLink> {
    await this.#require(name);
    const expiresAt = Date.now() + linkLifetimeMs;
    const contents: z.infer<typeof linkContents> = {
      use: 'download a backup',
      id: randomUUID(),
      name,
      administratorId,
      expiresAt,
    };
    const sealed = this.#parts.box.seal(JSON.stringify(contents));
    return { path: `/admin/backups/${Buffer.from(sealed, 'base64').toString('base64url')}`, expiresAt };
  }

  async open(link: string, { consume }: { consume: boolean }): Promise<BackupDownload | null> {
    const contents = this.#contentsOf(link);
    const now = Date.now();
    for (const [id, until] of this.#usedLinks) if (until <= now) this.#usedLinks.delete(id);
    if (!contents || contents.expiresAt <= now || this.#usedLinks.has(contents.id)) return null;
    if (consume) this.#usedLinks.set(contents.id, contents.expiresAt);
    const { name, administratorId } = contents;
    if (!(await this.#mayDownload(administratorId))) return null;
    const record = await this.#record(name);
    if (!record) return null;
    return { name, bytes: record.bytes, stream: () => this.#stream(name, administratorId) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running?.ended;
  }

  async #make(state: RunningBackup, withoutKeys: boolean): Promise<BackupRecord> {
    const { dataDirectory, directory } = this.#parts;
    const name = nameOf(state.startedAt, state.kind, withoutKeys);
    const file = this.#path(name);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await this.#removeLeftovers(Date.now() - leftoverMs);
      const made = await this.#inThread({ dataDirectory, file, withoutKeys }, state);
      return { name, kind: state.kind, madeAt: state.startedAt, bytes: made.bytes, hasKeys: !withoutKeys };
    } catch (error) {
      const { report } = this.#parts;
      if (!(error instanceof ClosingError)) report?.(error);
      const why = describeFailure(error) ?? (report === null ? String(error) : "see the server's log");
      throw new GantryError('backup_failed', `The backup was not made: ${why}`, { cause: error });
    }
  }

  /** @throws Error with what the thread says, or when it was ended */
  async #inThread(data: BackupThreadData, state: RunningBackup): Promise<{ bytes: number }> {
    const { signal } = this.#closing;
    if (signal.aborted) throw new ClosingError();
    const thread = startThread('backup-thread', data);
    const end = () => void thread.terminate();
    signal.addEventListener('abort', end, { once: true });
    let outcome: { bytes: number } | Error | null = null;
    thread.on('message', (message: FromBackupThread) => {
      if ('progress' in message) Object.assign(state, message.progress);
      else if ('made' in message) outcome = message.made;
      else outcome = Object.assign(new Error(message.failed.message), { code: message.failed.code });
    });
    thread.on('error', (error) => {
      outcome = error instanceof Error ? error : new Error(String(error));
    });
    await once(thread, 'exit');
    signal.removeEventListener('abort', end);
    const ended = outcome as { bytes: number } | Error | null;
    if (ended !== null && !(ended instanceof Error)) return ended;
    // A thread that was ended could not clear up after itself.
    if (ended === null) await this.#removeLeftovers(Number.POSITIVE_INFINITY, data.file);
    throw ended ?? new ClosingError();
  }

  async #removeLeftovers(before: number, of = ''): Promise<void> {
    const { directory } = this.#parts;
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      if (!leftoverPattern.test(name) || !path.startsWith(of)) continue;
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < before) await rm(path, { force: true });
    }
  }

  #stream(name: string, administratorId: string | null): Readable {
    const stream = createReadStream(this.#path(name));
    const recheck = setInterval(async () => {
      const may = await this.#mayDownload(administratorId).catch(() => true);
      if (!may) stream.destroy(new Error('the administrator may not download backups any more'));
    }, recheckMs).unref();
    stream.once('close', () => clearInterval(recheck));
    return stream;
  }

  /** As things stand now: whoever made the link may have been revoked since. */
  async #mayDownload(administratorId: string | null): Promise<boolean> {
    if (administratorId === null) return true;
    const administrator = await this.#parts.db.read(findAdministrator, administratorId);
    if (!administrator) return false;
    const { role, expiresAt } = administrator;
    return operators.some((allowed) => allowed === role) && (expiresAt === null || expiresAt > Date.now());
  }

  #contentsOf(link: string): z.infer<typeof linkContents> | null {
    try {
      const sealed = Buffer.from(link, 'base64url').toString('base64');
      return linkContents.parse(JSON.parse(this.#parts.box.open(sealed)));
    } catch {
      return null;
    }
  }

  async #names(): Promise<string[]> {
    const { directory } = this.#parts;
    return existsSync(directory) ? (await readdir(directory)).filter((name) => namePattern.test(name)) : [];
  }

  /** Null where there is none of that name. */
  async #record(name: string): Promise<BackupRecord | null> {
    const [, year, month, day, hours, minutes, seconds, millis, kind, noKeys] = namePattern.exec(name) ?? [];
    const found = year === undefined ? null : await stat(this.#path(name)).catch(() => null);
    if (!found?.isFile()) return null;
    const madeAt = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${millis}Z`);
    return {
      name,
      kind: kind === 'scheduled' ? 'scheduled' : 'manual',
      madeAt,
      bytes: found.size,
      hasKeys: noKeys === undefined,
    };
  }

  async #require(name: string): Promise<void> {
    // The name is no path: what `namePattern` does not know is not looked for.
    if ((await this.#record(name)) === null) {
      throw new GantryError('backup_unknown', 'There is no backup of this name');
    }
  }

  #path(name: string): string {
    return join(this.#parts.directory, name);
  }
}

/** Backups where the database is not in the data directory. */
export class NoBackups implements Backups {
  readonly unavailable =
    'The database is on PostgreSQL, whose own tools make its backups: pg_dump, or base backups with an archived log. ' +
    'Keep GANTRY_SECRET_KEY too, under which the keys in it are encrypted. The manual says how: /docs/scaling-out#backups';

  async list(): Promise<BackupRecord[]> {
    return [];
  }
  running(): null {
    return null;
  }
  async make(): Promise<never> {
    throw new GantryError('backup_unavailable', this.unavailable);
  }
  async keepLast(): Promise<void> {}
  async remove(): Promise<never> {
    throw new GantryError('backup_unavailable', this.unavailable);
  }
  async link(): Promise<never> {
    throw new GantryError('backup_unavailable', this.unavailable);
  }
  async open(): Promise<null> {
    return null;
  }
  async close(): Promise<void> {}
}

class ClosingError extends Error {
  constructor() {
    super('the server is shutting down');
  }
}

/** What can be said without a path, as administrators elsewhere read it; null: nothing. */
function describeFailure(error: unknown): string | null {
  if (error instanceof ClosingError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return 'the disk is full';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return 'the directory of backups (BACKUP_DIR) is not writable';
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'BACKUP_DIR is no directory';
  return null;
}

function nameOf(at: number, kind: BackupKind, withoutKeys: boolean): string {
  const time = new Date(at).toISOString().replaceAll(/[-:.]/g, '');
  return `gantry-${time}-${kind}${withoutKeys ? '-no-keys' : ''}.gantry`;
}
