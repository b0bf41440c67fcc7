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
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { syncNamesIn } from '../../runtime/fsync-directory.ts';
import { keepDamagedLog } from './log-damage.ts';
import { migrate, refuseForeign, refuseNewer } from './migrate.ts';
import { checkpointBytes, logLimitBytes, logOf } from './write-ahead-log.ts';

const privateMode = 0o600;
const othersMask = 0o077;

/** How long opening waits for another process that is making or upgrading the same database. */
const openTimeoutMs = 10_000;
/** `journal_mode` does not wait for locks by itself; it is tried again after this. */
const lookAgainMs = 20;

/** How long one statement waits for another process's write, with the event loop standing still. */
export const busyTimeoutMs = 250;

/**
 * A commit writes every page it touched to the write-ahead log, whole. Our writes are small and lie far apart
 * (one player's here, another's there), so smaller pages than the usual 4 KiB make each cost less: 1.5 times
 * the score writes a second, measured. Below 2 KiB nothing more is gained.
 */
const pageBytes = 2048;

/** A file up to this size is looked through at start: a millisecond for each MiB. In a larger one, damage is found when it is met. */
const lookedThroughBytes = 64 * 1024 * 1024;

/**
 * Opens the database file, makes it when it is not there, and brings its schema up to date. A file that
 * cannot be used is left as it is.
 * @throws DatabaseUnusableError
 */
export function openDatabase(file: string): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) === null) makeWhole(file);
  makePrivate(file);
  keepDamagedLog(file);
  if (sizeOf(file) === 0)
    throw new DatabaseUnusableError(`${file} is empty: what was in it is gone. ${toDo(file)}`);
  return open(file);
}

/**
 * Reads a file of a moderate size from end to end, and refuses one with damage in it.
 * @throws DatabaseUnusableError
 */
export function refuseDamaged(file: string): void {
  const bytes = sizeOf(file) ?? 0;
  makePrivate(file);
  keepDamagedLog(file);
  if (bytes === 0 || bytes > lookedThroughBytes) return;
  explained(file, () => {
    const db = new SqliteDatabase(file, { readonly: true, timeout: openTimeoutMs }); // changes nothing, also at its end
    try {
      const found = db.prepare<[], string>('PRAGMA quick_check(1)').pluck().get();
      if (found !== 'ok') throw unreadable(file, found?.split('\n').at(-1) ?? ''); // after a heading
    } finally {
      db.close();
    }
  });
}

/**
 * Makes the database beside its place and puts it there when it is whole: so a file without anything in it is
 * never one that was only begun. Of several processes one is first, and all use its file.
 */
function makeWhole(file: string): void {
  refuseStrayLog(file);
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, '', { mode: privateMode, flag: 'wx' }); // SQLite gives what it puts beside it the same mode
    open(draft).close();
    linkSync(draft, file); // unlike a rename, fails when another process was first
  } catch (error) {
    if (sizeOf(file) === null) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncNamesIn(dirname(file));
}

/** Refuses a write-ahead log without its database. @throws DatabaseUnusableError */
export function refuseStrayLog(file: string): void {
  const log = logOf(file);
  if ((sizeOf(log) ?? 0) === 0) return;
  throw new DatabaseUnusableError(
    `${file} is not there, but ${log} is, with writes that belong to it. Put ${file} back beside it, or restore a ` +
      'backup: gantry restore <file> --force. To begin with an empty database, move everything out of the directory.',
  );
}

function open(file: string): Database {
  if (sizeOf(file) !== null && !isWritable(file)) throw unwritable(file, 'permission denied'); // SQLite would only read it
  return explained(file, () => {
    const db = new SqliteDatabase(file, { timeout: openTimeoutMs });
    try {
      prepare(db);
    } catch (error) {
      db.close();
      throw error;
    }
    return db;
  });
}

function explained<Result>(file: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    throw asUnusable(file, error);
  }
}

/** What SQLite refuses a file for, in words for whoever can mend it; any other error stays what it is. */
export function asUnusable(file: string, error: unknown, remedy = toDo(file)): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  const { code, message } = error;
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return unreadable(file, message, remedy);
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) return unwritable(file, message);
  if (/^SQLITE_(FULL|IOERR)/.test(code)) {
    return new DatabaseUnusableError(
      `The disk does not take what is written to ${file} (${message}). See whether it is full or failing.`,
    );
  }
  if (/^SQLITE_BUSY/.test(code)) {
    return new DatabaseUnusableError(
      `Another process holds ${file} (${message}). End it, or what it is doing, and start again.`,
    );
  }
  return error;
}

function unreadable(file: string, why: string, remedy = toDo(file)): DatabaseUnusableError {
  return new DatabaseUnusableError(`${file} cannot be read as a database (${why}). ${remedy}`);
}

function unwritable(file: string, why: string): DatabaseUnusableError {
  return new DatabaseUnusableError(
    `${file} cannot be opened for writing (${why}). Let the user this runs as write to it and to its directory.`,
  );
}

/**
 * Takes a database, and what SQLite has put beside it, away from other users of the machine: it holds what players
 * write to each other, and may lie in a directory that everybody may look into.
 */
function makePrivate(file: string): void {
  for (const one of [file, logOf(file), `${file}-shm`]) {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & othersMask) === 0) continue;
    try {
      chmodSync(one, privateMode);
    } catch (error) {
      // It is another user's file, or just gone: `gantry doctor` tells of the first.
      if (!['EPERM', 'EROFS', 'ENOENT'].includes(codeOf(error))) throw error;
    }
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function toDo(file: string): string {
  return `It was left as it is: restore a backup in its place, or, to begin with an empty one, move everything out of ${dirname(file)}.`;
}

/** In bytes; null when the file is not there. */
function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

function prepare(db: Database): void {
  // First of all: what follows already changes the file.
  refuseNewer(db);
  refuseForeign(db);
  db.pragma(`page_size = ${pageBytes}`); // has an effect on a new file only
  enterWalMode(db);
  // Said outright: the library is compiled to fall back to NORMAL in WAL mode, where a power cut takes
  // acknowledged writes with it.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // What is erased (an unsent message, a player) must be gone from the file, not merely unlinked.
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
      // Nothing else runs while a database is being opened, so waiting may hold the thread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookAgainMs);
    }
  }
}
