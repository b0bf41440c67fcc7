import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { DatabaseUnusableError } from '../database-unusable.ts';
import { migrate, refuseNewer } from './migrate.ts';

/** How long opening waits for another process that is making or upgrading the same database. */
const openTimeoutMs = 10_000;
/** `journal_mode` does not wait for locks by itself; it is tried again after this. */
const lookAgainMs = 20;

/** How long one statement waits for another process's write, with the event loop standing still. */
const busyTimeoutMs = 250;

/**
 * A commit writes every page it touched to the write-ahead log, whole. Our writes are small and lie far apart
 * (one player's here, another's there), so smaller pages than the usual 4 KiB make each cost less: 1.5 times
 * the score writes a second, measured. Below 2 KiB nothing more is gained.
 */
const pageBytes = 2048;
/** The log is copied into the file when it has grown to this: hot pages are copied once for many commits. */
const checkpointBytes = 32 * 1024 * 1024;

/** A full checkpoint cuts the write-ahead log back to this; without it, one slow reader leaves it huge for good. */
const walLimitBytes = 64 * 1024 * 1024;

/**
 * Opens the database file, makes it when it is not there, and brings its schema up to date. A file that
 * cannot be used is left as it is.
 * @throws DatabaseUnusableError
 */
export function openDatabase(file: string): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = new SqliteDatabase(file, { timeout: openTimeoutMs });
  try {
    prepare(db);
  } catch (error) {
    db.close();
    throw asUnusable(file, error);
  }
  return db;
}

/** A damaged file in words for who can do something about it; any other error stays what it is. */
export function asUnusable(file: string, error: unknown): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError) || !/^SQLITE_(NOTADB|CORRUPT)/.test(error.code))
    return error;
  return new DatabaseUnusableError(
    `${file} cannot be read as a database (${error.message}). It was left as it is: ` +
      'restore a backup in its place, or move it away to begin with an empty one.',
  );
}

function prepare(db: Database): void {
  refuseNewer(db); // first of all: what follows already changes the file
  db.pragma(`page_size = ${pageBytes}`); // has an effect on a new file only
  enterWalMode(db);
  // Said outright: the library is compiled to fall back to NORMAL in WAL mode, where a power cut takes
  // acknowledged writes with it.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // What is erased (an unsent message, a player) must be gone from the file, not merely unlinked.
  db.pragma('secure_delete = ON');
  db.pragma(`wal_autocheckpoint = ${checkpointBytes / pageBytes}`);
  db.pragma(`journal_size_limit = ${walLimitBytes}`);
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
      // Nothing else runs while a store is being opened, so waiting may hold the thread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookAgainMs);
    }
  }
}
