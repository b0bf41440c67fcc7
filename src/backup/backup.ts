import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { dataFiles } from '../config.ts';
import type { CopyProgress, DatabaseFiles, KeptFile } from '../store/database-file.ts';
import { syncNamesIn } from '../sync-names.ts';
import { BackupError } from './backup-error.ts';

export interface BackupReport {
  file: string;
  bytes: number;
  schemaVersion: number;
  /** Unix milliseconds: everything answered before is in it. */
  madeAt: number;
  keys: string[];
}

export interface BackupOptions {
  /** Leave the keys out, to keep them elsewhere. */
  withoutKeys: boolean;
  /** Replace a file of this name. */
  force: boolean;
  onProgress(progress: CopyProgress): void;
}

/**
 * Makes a backup of a data directory in one file, a SQLite database with the keys inside, readable by its owner
 * only. It appears under its name when it is whole and has been checked.
 * @throws BackupError, DatabaseUnusableError
 */
export async function backUp(
  databases: DatabaseFiles,
  dataDirectory: string,
  file: string,
  { withoutKeys, force, onProgress }: BackupOptions,
): Promise<BackupReport> {
  const { database, ...keys } = dataFiles(dataDirectory);
  if (!existsSync(database)) {
    throw new BackupError(
      `There is no database in ${dataDirectory}. Is DATA_DIR where the server keeps its data?`,
    );
  }
  refuseDirectory(file);
  if (!force && existsSync(file)) {
    throw new BackupError(`${file} is there already. Choose another name, or replace it with --force.`);
  }
  const kept: KeptFile[] = withoutKeys
    ? []
    : Object.values(keys)
        .filter((path) => existsSync(path))
        .map((path) => ({ name: basename(path), content: readFileSync(path) }));
  const draft = `${file}.${randomUUID()}.partial`;
  try {
    writeFileSync(draft, '', { mode: 0o600, flag: 'wx' }); // private before there is anything in it
    const { madeAt, schemaVersion } = await databases.backUp(database, draft, kept, onProgress);
    const { size: bytes } = statSync(draft);
    if (force) renameSync(draft, file);
    else linkSync(draft, file); // unlike a rename, fails when somebody was first
    syncNamesIn(dirname(file));
    return { file, bytes, schemaVersion, madeAt, keys: kept.map(({ name }) => name) };
  } finally {
    rmSync(draft, { force: true });
    rmSync(`${draft}-journal`, { force: true });
  }
}

export interface RestoreReport {
  dataDirectory: string;
  /** Unix milliseconds. */
  madeAt: number;
  schemaVersion: number;
  keys: string[];
  /** Actions on chains that were waiting and now wait for a person; see README.md. */
  heldActions: number;
  /** Where what was there before lies now; null when there was nothing. */
  replaced: string | null;
}

export interface RestoreOptions {
  /** Put it in the place of what is there, which is moved aside. */
  force: boolean;
  /** Carry out what was waiting for a chain at the time of the backup, also when that was done since. */
  keepQueue: boolean;
}

/**
 * Puts a backup into a data directory. Everything is checked before anything there is touched, and what was
 * there is moved into a directory `replaced-<time>` inside, not removed.
 * @throws BackupError, DatabaseUnusableError, SchemaTooNewError
 */
export function restoreBackup(
  databases: DatabaseFiles,
  file: string,
  dataDirectory: string,
  { force, keepQueue }: RestoreOptions,
): RestoreReport {
  if (!existsSync(file)) throw new BackupError(`There is no file ${file}.`);
  refuseDirectory(file);
  const present = entriesOf(dataDirectory);
  if (present.length > 0 && !force) {
    throw new BackupError(
      `${dataDirectory} is not empty. Restore into an empty DATA_DIR, or use --force: what is there is then moved ` +
        'aside.',
    );
  }
  const target = dataFiles(dataDirectory);
  if (existsSync(target.database) && databases.isInUse(target.database)) {
    throw new BackupError(`A server or a command is working in ${dataDirectory}. Stop it first.`);
  }
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const draft = join(dataDirectory, `restoring-${randomUUID()}`);
  mkdirSync(draft, { mode: 0o700 });
  try {
    const unpacked = dataFiles(draft);
    writeFileSync(unpacked.database, '', { mode: 0o600 });
    copyFileSync(file, unpacked.database);
    const { files, madeAt, schemaVersion, heldActions } = databases.unpackBackup(unpacked.database, {
      keepQueue,
    });
    const known = Object.values(target).map((path) => basename(path));
    // A name is taken as it is known here, never as a path that whoever made the file has thought of.
    const keys = files.filter(({ name }) => known.includes(name) && name !== basename(target.database));
    for (const { name, content } of keys) {
      writeFileSync(join(draft, name), content, { mode: 0o600, flush: true });
    }
    const replaced = moveAside(dataDirectory, present);
    // The database comes last: until then there is nothing a server would take for its own.
    for (const { name } of keys) renameSync(join(draft, name), join(dataDirectory, name));
    renameSync(unpacked.database, target.database);
    syncNamesIn(dataDirectory);
    return {
      dataDirectory,
      madeAt,
      schemaVersion,
      keys: keys.map(({ name }) => name),
      heldActions,
      replaced,
    };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What counts as something: a file system's own directory does not. */
function entriesOf(directory: string): string[] {
  if (!existsSync(directory)) return [];
  if (!statSync(directory).isDirectory()) throw new BackupError(`${directory} is not a directory.`);
  return readdirSync(directory).filter((name) => name !== 'lost+found');
}

function moveAside(dataDirectory: string, names: readonly string[]): string | null {
  const moved = names.filter((name) => !name.startsWith('replaced-'));
  if (moved.length === 0) return null;
  const aside = join(dataDirectory, `replaced-${new Date().toISOString().replaceAll(':', '-')}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of moved) renameSync(join(dataDirectory, name), join(aside, name));
  return aside;
}

function refuseDirectory(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BackupError(`${file} is a directory; name the backup's file.`);
  }
  if (!existsSync(dirname(file))) throw new BackupError(`There is no directory ${dirname(file)}.`);
}
