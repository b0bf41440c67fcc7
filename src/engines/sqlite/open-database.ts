import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { commandOn } from '../../core/command-hint.ts';
import type { SealCheck } from '../../core/storage/database-file.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { fsyncDirectory } from '../../runtime/fsync-directory.ts';
import { preserveDamagedLog } from './log-damage.ts';
import { migrate, refuseForeign, refuseNewer, sealedSample } from './migrate.ts';
import { prepare } from './prepare.ts';
import { checkpointBytes, logLimitBytes, logOf } from './write-ahead-log.ts';

const privateMode = 0o600;
const othersMask = 0o077;

/** How long opening waits for another process that is creating or migrating the same database. */
const openTimeoutMs = 10_000;
/** `journal_mode` does not wait for locks by itself; it is retried after this delay. */
const retryDelayMs = 20;

/** How long a statement waits for another process's write, which blocks the event loop. */
export const busyTimeoutMs = 250;

/**
 * A commit writes every modified page to the write-ahead log in full. Writes are small and scattered across players, so
 * pages smaller than the default 4 KiB make each one cheaper: measured 1.5 times the score writes per second. Below
 * 2 KiB there is no further gain.
 */
const pageBytes = 2048;

/** Files up to this size are checked at startup, at 1 ms per MiB. In larger ones, damage is detected on access. */
const maxCheckedBytes = 64 * 1024 * 1024;

/**
 * Opens the database file, creates it if it does not exist, and migrates its schema. A file that cannot be used is not
 * modified, nor is one that is encrypted with another key.
 * @throws DatabaseUnusableError; ConfigError by `seal`
 */
export function openDatabase(file: string, seal?: SealCheck): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) === null) createAtomically(file);
  makePrivate(file);
  preserveDamagedLog(file);
  refuseEmpty(file);
  const db = open(file, seal);
  removeCompacted(file); // `gantry compact` does not run while this connection is open
  return db;
}

/** Where `gantry compact` writes the copy that replaces the file. */
export const compactedOf = (file: string) => `${file}.compacted`;

/** Removes the copy of everything that an interrupted `gantry compact` has left. */
export function removeCompacted(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    rmSync(`${compactedOf(file)}${suffix}`, { force: true });
}

/** SQLite would take an empty file for a new database. @throws DatabaseUnusableError */
export function refuseEmpty(file: string): void {
  if (sizeOf(file) === 0)
    throw new DatabaseUnusableError(`${file} is empty: its content was lost. ${remedyFor(file)}`);
}

/**
 * Checks a file of moderate size completely, and refuses it if it is damaged.
 * @throws DatabaseUnusableError
 */
export function refuseDamaged(file: string): void {
  const bytes = sizeOf(file) ?? 0;
  makePrivate(file);
  refuseReadOnly(file);
  preserveDamagedLog(file);
  if (bytes === 0 || bytes > maxCheckedBytes) return;
  describingErrors(file, () => {
    // Read-only, so that the file is not modified, even on close.
    const db = new SqliteDatabase(file, { readonly: true, timeout: openTimeoutMs });
    try {
      const found = prepare<[], string>(db, 'PRAGMA quick_check(1)').pluck().get();
      if (found !== 'ok') throw unreadable(file, found?.split('\n').at(-1) ?? ''); // after a heading
    } finally {
      db.close();
    }
  });
}

/**
 * Creates the database under a temporary name and links it into place when it is complete, so that an empty file never
 * results from an interrupted creation. If several processes do this, the first one wins, and all use its file.
 */
function createAtomically(file: string): void {
  refuseStrayLog(file);
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, '', { mode: privateMode, flag: 'wx' }); // SQLite creates its other files with the same mode
    open(draft).close();
    linkSync(draft, file); // unlike a rename, fails if another process was first
  } catch (error) {
    if (sizeOf(file) === null) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  fsyncDirectory(dirname(file));
}

/** Refuses a write-ahead log whose database is missing. @throws DatabaseUnusableError */
export function refuseStrayLog(file: string): void {
  const log = logOf(file);
  // In this order: another process that creates the database does so before its log.
  if ((sizeOf(log) ?? 0) === 0 || sizeOf(file) !== null) return;
  throw new DatabaseUnusableError(
    `${file} is not there, but ${log} is, with writes that belong to it. Put ${file} back beside it, or restore a ` +
      `backup: ${commandOn(dirname(file), 'gantry restore <file> --force')}. To begin with an empty database, move everything out of the directory.`,
  );
}

function open(file: string, seal?: SealCheck): Database {
  refuseReadOnly(file);
  return describingErrors(file, () => {
    const db = new SqliteDatabase(file, { fileMustExist: true, timeout: openTimeoutMs });
    try {
      configure(db, seal);
    } catch (error) {
      db.close();
      // While this waited, `gantry compact` has put another file in its place.
      if (codeOf(error) === 'SQLITE_READONLY_DBMOVED') return open(file, seal);
      throw error;
    }
    return db;
  });
}

function describingErrors<Result>(file: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw asUnusable(file, error);
  }
}

/** Converts SQLite's errors about a file to one that says what to do about it; returns any other error unchanged. */
export function asUnusable(file: string, error: unknown, remedy = remedyFor(file)): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  const { code, message } = error;
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return unreadable(file, message, remedy);
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) return unwritable(file, message);
  if (/^SQLITE_(FULL|IOERR)/.test(code)) {
    return new DatabaseUnusableError(
      `Writing to ${file} failed (${message}). Check whether the disk is full or failing.`,
    );
  }
  if (/^SQLITE_BUSY/.test(code)) {
    return new DatabaseUnusableError(
      `Another process holds a lock on ${file} (${message}). Stop it or wait for it to finish, and start again.`,
    );
  }
  return error;
}

function unreadable(file: string, why: string, remedy = remedyFor(file)): DatabaseUnusableError {
  return new DatabaseUnusableError(`${file} cannot be read as a database (${why}). ${remedy}`);
}

function unwritable(file: string, why: string): DatabaseUnusableError {
  return new DatabaseUnusableError(
    `${file} cannot be opened for writing (${why}). Grant the user of this process write access to it and its directory.`,
  );
}

/**
 * Removes access for other users from a database and SQLite's files beside it: it contains players' private messages,
 * and may be in a directory that is readable by everyone.
 */
function makePrivate(file: string): void {
  for (const one of filesOf(file)) {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & othersMask) === 0) continue;
    try {
      chmodSync(one, privateMode);
    } catch (error) {
      // The file belongs to another user, which `gantry doctor` reports, or was just deleted.
      if (!['EPERM', 'EROFS', 'ENOENT'].includes(codeOf(error))) throw error;
    }
  }
}

/** SQLite would open it read-only, and create the files beside it with the same mode, which would then remain. */
function refuseReadOnly(file: string): void {
  for (const one of filesOf(file))
    if (sizeOf(one) !== null && !isWritable(one)) throw unwritable(one, 'permission denied');
}

/** The database, with SQLite's files beside it, which may not exist. */
function filesOf(file: string): string[] {
  return [file, logOf(file), `${file}-shm`];
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function remedyFor(file: string): string {
  return `It was not modified: restore a backup in its place, or, to begin with an empty one, move everything out of ${dirname(file)}.`;
}

/** In bytes; null when the file does not exist. */
function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

function configure(db: Database, seal?: SealCheck): void {
  // These come first, because the next pragmas already modify the file.
  refuseNewer(db);
  refuseForeign(db);
  const sealed = seal ? sealedSample(db, seal) : null;
  if (sealed !== null) seal?.refuseOtherKey(sealed);
  db.pragma(`page_size = ${pageBytes}`); // takes effect only on a new file
  enterWalMode(db);
  // Set explicitly: the library is compiled with a default of NORMAL in WAL mode, which can lose acknowledged writes in
  // a power failure.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // Erased data (an unsent message, a player) must be overwritten in the file, not only unlinked.
  db.pragma('secure_delete = ON');
  db.pragma(`wal_autocheckpoint = ${checkpointBytes / pageBytes}`);
  db.pragma(`journal_size_limit = ${logLimitBytes}`);
  db.pragma('cache_size = -65536');
  db.pragma('temp_store = MEMORY');
  migrate(db);
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
}

function enterWalMode(db: Database): void {
  for (const deadline = Date.now() + openTimeoutMs; ; ) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || Date.now() > deadline) throw error;
      // Nothing else runs while a database is being opened, so blocking the thread is fine.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelayMs);
    }
  }
}
