import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { operators } from '../../core/schemas/admin-role.ts';
import type { Store } from '../../core/storage/store.ts';
import type { AdminCaller } from '../../features/administration/administrators/administrator.ts';
import { findAdministrator } from '../../features/administration/administrators/queries.ts';
import type {
  BackupDownload,
  BackupKind,
  BackupLink,
  BackupRecord,
  Backups,
  RunningBackup,
} from '../../features/administration/backups.ts';
import type { SecretBox } from '../../features/games/game-secret.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { makeDirectory } from '../../runtime/make-directory.ts';
import { backUpInThread } from './backup-in-thread.ts';

const linkLifetimeMs = 60_000;
/** How often a running download is authorized again. */
const recheckMs = 1_000;
/** Partial files left by a killed process, and marks of used links, are removed after a day. */
const leftoverMaxAgeMs = 24 * 60 * 60 * 1000;

const namePattern =
  /^gantry-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(manual|scheduled)(-no-keys)?\.gantry$/;
const leftoverPattern = /^gantry-.+\.gantry\..+\.(partial(-journal)?|used)$/;

/** The contents of a download link, sealed: it cannot be forged, and every process that has the key can open it. */
const linkContents = z.object({
  use: z.literal('download a backup'),
  id: z.uuid(),
  name: z.string().regex(namePattern),
  administratorId: z.string().nullable(),
  expiresAt: z.int(),
});

export interface BackupDirectoryDependencies {
  dataDirectory: string;
  directory: string;
  db: Store;
  box: SecretBox;
  /** Logs why a backup failed. Null without a log; the thrown error then contains the reason. */
  report: ((thrown: unknown) => void) | null;
}

/**
 * Backups in a directory readable by its owner only, each with its time in the file name. They are made in a worker
 * thread, one at a time.
 */
export class BackupDirectory implements Backups {
  readonly #dependencies: BackupDirectoryDependencies;
  readonly #closing = new AbortController();
  #running: { state: RunningBackup; ended: Promise<unknown> } | null = null;

  constructor(dependencies: BackupDirectoryDependencies) {
    this.#dependencies = dependencies;
  }

  async list(): Promise<BackupRecord[]> {
    const found = await Promise.all((await this.#names()).map((name) => this.#record(name)));
    return found.filter((record) => record !== null).toSorted((one, other) => other.madeAt - one.madeAt);
  }

  running(): RunningBackup | null {
    return this.#running && { ...this.#running.state };
  }

  async make(kind: BackupKind, { withoutKeys }: { withoutKeys: boolean }): Promise<BackupRecord> {
    // A scheduled backup waits for any other, because no caller would retry it. A requested one waits only for a scheduled
    // one, and is refused while another requested one is in progress.
    while (this.#running && (kind === 'scheduled' || this.#running.state.kind === 'scheduled')) {
      await this.#running.ended;
    }
    if (this.#running) {
      throw new GantryError('backup_running', 'A backup is already in progress; wait until it is complete');
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
    const sealed = this.#dependencies.box.seal(JSON.stringify(contents));
    return { path: `/admin/backups/${Buffer.from(sealed, 'base64').toString('base64url')}`, expiresAt };
  }

  async open(link: string, { consume }: { consume: boolean }): Promise<BackupDownload | null> {
    const contents = this.#contentsOf(link);
    if (!contents || contents.expiresAt <= Date.now()) return null;
    const { name, administratorId } = contents;
    if (!(await this.#mayDownload(administratorId))) return null;
    const record = await this.#record(name);
    if (!record) return null;
    const mark = this.#path(`${name}.${contents.id}.used`);
    if (consume ? !(await isCreated(mark)) : existsSync(mark)) return null;
    return { name, bytes: record.bytes, stream: (part) => this.#stream(name, administratorId, part) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running?.ended;
  }

  async #make(state: RunningBackup, withoutKeys: boolean): Promise<BackupRecord> {
    const { dataDirectory, directory } = this.#dependencies;
    const name = nameOf(state.startedAt, state.kind, withoutKeys);
    const file = this.#path(name);
    try {
      makeDirectory(directory, 0o700);
      await this.#removeLeftovers(Date.now() - leftoverMaxAgeMs);
      const made = await backUpInThread(dataDirectory, file, {
        withoutKeys,
        force: false,
        signal: this.#closing.signal,
        onProgress: (progress) => Object.assign(state, progress),
      });
      if (!made) throw new ClosingError();
      return { name, kind: state.kind, madeAt: state.startedAt, bytes: made.bytes, hasKeys: !withoutKeys };
    } catch (error) {
      const { report } = this.#dependencies;
      if (!(error instanceof ClosingError)) report?.(error);
      const why = describeFailure(error) ?? (report === null ? String(error) : "see the server's log");
      throw new GantryError('backup_failed', `The backup was not made: ${why}`, { cause: error });
    }
  }

  async #removeLeftovers(before: number): Promise<void> {
    const { directory } = this.#dependencies;
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      if (!leftoverPattern.test(name)) continue;
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < before) await rm(path, { force: true });
    }
  }

  #stream(name: string, administratorId: string | null, part = {}): Readable {
    const stream = createReadStream(this.#path(name), part);
    const recheck = setInterval(async () => {
      const isAllowed = await this.#mayDownload(administratorId).catch(() => true);
      if (!isAllowed) stream.destroy(new Error('the administrator may not download backups anymore'));
    }, recheckMs).unref();
    stream.once('close', () => clearInterval(recheck));
    return stream;
  }

  /** Checks the current state: the administrator who created the link may have been revoked since. */
  async #mayDownload(administratorId: string | null): Promise<boolean> {
    if (administratorId === null) return true;
    const administrator = await this.#dependencies.db.read(findAdministrator, administratorId);
    if (!administrator) return false;
    const { role, expiresAt } = administrator;
    return operators.some((allowed) => allowed === role) && (expiresAt === null || expiresAt > Date.now());
  }

  #contentsOf(link: string): z.infer<typeof linkContents> | null {
    try {
      const sealed = Buffer.from(link, 'base64url').toString('base64');
      return linkContents.parse(JSON.parse(this.#dependencies.box.open(sealed)));
    } catch {
      return null;
    }
  }

  async #names(): Promise<string[]> {
    const { directory } = this.#dependencies;
    return existsSync(directory) ? (await readdir(directory)).filter((name) => namePattern.test(name)) : [];
  }

  /** Null when there is no backup with that name. */
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
    // `#record` rejects names that do not match `namePattern`, so a name is never used as a path.
    if ((await this.#record(name)) === null) {
      throw new GantryError('backup_unknown', 'There is no backup with this name');
    }
  }

  #path(name: string): string {
    return join(this.#dependencies.directory, name);
  }
}

class ClosingError extends Error {
  constructor() {
    super('the server is shutting down');
  }
}

/** A reason without paths, because remote administrators read it; null when there is none. */
function describeFailure(error: unknown): string | null {
  if (error instanceof ClosingError) return error.message;
  const code = codeOf(error);
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

/** Creates an empty file; false: it exists. Of all processes that share the directory, one creates it. */
async function isCreated(file: string): Promise<boolean> {
  try {
    await writeFile(file, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
