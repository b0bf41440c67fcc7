import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { fsyncDirectory } from '../../runtime/fsync-directory.ts';
import { giveToOwner } from '../../runtime/give-to-owner.ts';
import { preserveDamagedLog } from './log-damage.ts';
import { asUnusable, compactedOf, refuseEmpty, removeCompacted } from './open-database.ts';
import { prepare } from './prepare.ts';

/** Bytes of the pages that contain nothing, since rows were deleted: SQLite fills them before the file grows. */
export function freeBytesOf(db: Database): number {
  const pages = Number(db.pragma('freelist_count', { simple: true }));
  return pages * Number(db.pragma('page_size', { simple: true }));
}

/** Copies what the database contains, without free pages, into a file that is empty. Writers are not blocked. */
export function copyWithoutFreePages(db: Database, to: string): void {
  prepare(db, 'VACUUM INTO ?').run(to);
}

/**
 * Replaces the file by a copy without free pages, which is verified first. No process may have the database open; those
 * that open it meanwhile wait, or fail.
 * @throws DatabaseUnusableError; the file is then unchanged
 */
export function compact(file: string): void {
  let db: Database | undefined;
  try {
    preserveDamagedLog(file);
    refuseEmpty(file);
    db = new SqliteDatabase(file, { fileMustExist: true, timeout: 0 });
    // Fails if another connection is open, and leaves no log that would be taken for the new file's.
    db.pragma('journal_mode = DELETE');
    db.pragma('locking_mode = EXCLUSIVE'); // until it is closed, when the new file is in place
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    replaceByCopy(db, file);
  } catch (error) {
    throw asUnusable(file, error);
  } finally {
    db?.close();
  }
}

function replaceByCopy(locked: Database, file: string): void {
  const draft = compactedOf(file);
  removeCompacted(file);
  try {
    writeFileSync(draft, '', { mode: 0o600, flag: 'wx' }); // private before it has any content
    copyWithoutFreePages(locked, draft);
    verify(draft);
    giveToOwner(file, draft);
    renameSync(draft, file);
  } catch (error) {
    removeCompacted(file);
    throw error;
  }
  fsyncDirectory(dirname(file));
}

/** Checks a database completely, and makes it durable. @throws SqliteError */
function verify(file: string): void {
  const db = new SqliteDatabase(file);
  try {
    const found = prepare<[], string>(db, 'PRAGMA integrity_check(1)').pluck().get();
    if (found !== 'ok') throw new SqliteDatabase.SqliteError(found ?? '', 'SQLITE_CORRUPT');
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
