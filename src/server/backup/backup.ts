import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { dataFiles } from '../../config.ts';
import type { CopyProgress, DatabaseFiles, KeptFile } from '../../core/storage/database-file.ts';
import { fsyncDirectory } from '../../runtime/fsync-directory.ts';
import { giveToOwner } from '../../runtime/give-to-owner.ts';
import { isThere } from '../../runtime/is-there.ts';
import { BackupError } from './backup-error.ts';
import { draftOf, removeDraft } from './draft.ts';
import { makeDataDirectory } from './make-data-directory.ts';
import { restoringPrefix } from './missing-database.ts';
import { refuseDirectory, refuseOutput } from './output-file.ts';

export interface BackupReport {
  file: string;
  bytes: number;
  schemaVersion: number;
  /** Unix milliseconds; includes every write acknowledged before. */
  madeAt: number;
  keys: string[];
}

export interface BackupOptions {
  /** Exclude the keys. */
  withoutKeys: boolean;
  /** Overwrite an existing file. */
  force: boolean;
  /** Where the backup is made until it is complete. */
  draft?: string;
  onProgress(progress: CopyProgress): void;
}

/**
 * Makes a backup of a data directory in one file, a SQLite database with the keys inside, readable by its owner
 * only. It appears under its name once it is complete and verified.
 * @throws BackupError, DatabaseUnusableError
 */
export async function backUp(
  databases: DatabaseFiles,
  dataDirectory: string,
  file: string,
  { withoutKeys, force, draft = draftOf(file), onProgress }: BackupOptions,
): Promise<BackupReport> {
  const { database, ...keys } = dataFiles(dataDirectory);
  if (!isThere(database)) {
    throw new BackupError(
      `There is no database in ${dataDirectory}. Is DATA_DIR where the server keeps its data?`,
    );
  }
  refuseOutput(file, dataDirectory);
  if (!force && existsSync(file)) {
    throw new BackupError(`${file} already exists. Choose another name, or overwrite it with --force.`);
  }
  const keyFiles: KeptFile[] = withoutKeys
    ? []
    : Object.values(keys)
        .filter((path) => existsSync(path))
        .map((path) => ({ name: basename(path), content: readFileSync(path) }));
  try {
    writeFileSync(draft, '', { mode: 0o600, flag: 'wx' }); // private before it has any content
    const { madeAt, schemaVersion } = await databases.backUp(database, draft, keyFiles, onProgress);
    const { size: bytes } = statSync(draft);
    if (force) renameSync(draft, file);
    else linkSync(draft, file); // unlike a rename, fails when the file exists
    fsyncDirectory(dirname(file));
    return { file, bytes, schemaVersion, madeAt, keys: keyFiles.map(({ name }) => name) };
  } finally {
    removeDraft(draft);
  }
}

export interface RestoreReport {
  dataDirectory: string;
  /** Unix milliseconds. */
  madeAt: number;
  schemaVersion: number;
  keys: string[];
  /** Queued on-chain actions that now wait for an operator; see public/docs/back-up.md. */
  heldActions: number;
  /** Where the previous contents were moved; null when there were none. */
  replaced: string | null;
}

export interface RestoreOptions {
  /** Replace the existing contents, which are moved aside. */
  force: boolean;
  /** Holds the on-chain actions queued at the time of the backup, in the restored database; returns how many. */
  hold(database: string): Promise<number>;
  /** Where the server keeps the backups it makes, as an absolute path. */
  backupDirectory: string;
}

/**
 * Restores a backup into a data directory. Everything is checked before anything is changed, and existing
 * contents are moved into a subdirectory `replaced-<time>`, not removed; the backups a server made stay where they
 * are. A restore that fails half-way is undone.
 * @throws BackupError, DatabaseUnusableError, SchemaTooNewError
 */
export async function restoreBackup(
  databases: DatabaseFiles,
  file: string,
  dataDirectory: string,
  { force, hold, backupDirectory }: RestoreOptions,
): Promise<RestoreReport> {
  if (!isThere(file)) throw new BackupError(`There is no file ${file}.`);
  refuseDirectory(file);
  if (contentsOf(dataDirectory, backupDirectory).length > 0 && !force) {
    throw new BackupError(
      `${dataDirectory} is not empty. Restore into an empty DATA_DIR, or use --force to move its contents ` +
        'aside.',
    );
  }
  const target = dataFiles(dataDirectory);
  if (existsSync(target.database) && databases.isInUse(target.database)) {
    throw new BackupError(`A server or a command is using ${dataDirectory}. Stop it first.`);
  }
  const draft = join(dataDirectory, `${restoringPrefix}${randomUUID()}`);
  makeDataDirectory(dataDirectory, () => mkdirSync(draft, { mode: 0o700 }));
  try {
    const unpacked = dataFiles(draft);
    writeFileSync(unpacked.database, '', { mode: 0o600 });
    copyFileSync(file, unpacked.database);
    const { files, madeAt, schemaVersion } = databases.unpackBackup(unpacked.database, file);
    const heldActions = await hold(unpacked.database);
    const known = Object.values(target).map((path) => basename(path));
    // Only known names are accepted, never a path from a crafted file.
    const keys = files.filter(({ name }) => known.includes(name) && name !== basename(target.database));
    for (const { name, content } of keys) {
      writeFileSync(join(draft, name), content, { mode: 0o600, flag: 'wx', flush: true });
    }
    const names = keys.map(({ name }) => name);
    for (const name of [...names, basename(target.database)]) giveToOwner(dataDirectory, join(draft, name));
    // Read again: the check whether the database is in use may have removed files that a crash had left beside it.
    const present = contentsOf(dataDirectory, backupDirectory).filter((name) => name !== basename(draft));
    const replaced = replaceContents(dataDirectory, present, draft, [...names, basename(target.database)]);
    return { dataDirectory, madeAt, schemaVersion, keys: names, heldActions, replaced };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The entries of a data directory, except the file system's own and the backups. */
function contentsOf(directory: string, backupDirectory: string): string[] {
  if (!existsSync(directory)) return [];
  if (!statSync(directory).isDirectory()) throw new BackupError(`${directory} is not a directory.`);
  return readdirSync(directory).filter(
    (name) => name !== 'lost+found' && join(directory, name) !== backupDirectory,
  );
}

/**
 * Moves the `present` contents of a data directory aside, and the files `names`, in that order, from `draft` into it.
 * If a move fails, all are undone. Returns where the previous contents are now; null when there were none.
 *
 * The database is moved out first and in last: if this is interrupted, even by a power failure, the directory has no
 * database, and no server starts on it (see `describeMissingDatabase`).
 */
function replaceContents(
  dataDirectory: string,
  present: readonly string[],
  draft: string,
  names: readonly string[],
): string | null {
  const existing = present
    .filter((name) => !name.startsWith('replaced-'))
    .toSorted((one, other) => rank(one) - rank(other));
  const aside = join(dataDirectory, `replaced-${new Date().toISOString().replaceAll(':', '-')}`);
  const moved: [from: string, to: string][] = [];
  const move = (name: string, from: string, to: string) => {
    renameSync(join(from, name), join(to, name));
    moved.push([join(from, name), join(to, name)]);
  };
  if (existing.length > 0) {
    mkdirSync(aside, { mode: 0o700 });
    giveToOwner(dataDirectory, aside);
  }
  try {
    for (const name of existing) move(name, dataDirectory, aside);
    for (const name of names) move(name, draft, dataDirectory);
  } catch (error) {
    for (const [from, to] of moved.reverse()) renameSync(to, from);
    if (existing.length > 0) rmdirSync(aside);
    throw error;
  }
  if (existing.length > 0) fsyncDirectory(aside);
  fsyncDirectory(dataDirectory);
  return existing.length > 0 ? aside : null;

  function rank(name: string): number {
    return name === basename(dataFiles(dataDirectory).database) ? 0 : 1;
  }
}
