import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import {
  type BackupContents,
  type CopyProgress,
  type DatabaseCondition,
  type DatabaseFiles,
  heldWhy,
  type KeptFile,
} from '../../core/storage/database-file.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { droppedLogs, keepDamagedLog } from './log-damage.ts';
import { latestSchema, refuseNewer, versionOf } from './migrate.ts';
import { asUnusable, openDatabase } from './open-database.ts';
import { logBytesOf } from './write-ahead-log.ts';

/** Tells a backup from a database in use: "Gtbk" in SQLite's `application_id`. */
const backupMark = 0x4774626b;

/** Copied between two looks at how far it is. */
const pagesAStep = 4_096;

const busyTimeoutMs = 5_000;
const shownDamage = 10;

export const sqliteFiles: DatabaseFiles = {
  schemaVersion: latestSchema,
  get libraryVersion() {
    return libraryVersion();
  },
  settings(scratchFile) {
    const db = openDatabase(scratchFile);
    try {
      return {
        journalMode: db.pragma('journal_mode', { simple: true }),
        synchronous: db.pragma('synchronous', { simple: true }),
        foreignKeys: db.pragma('foreign_keys', { simple: true }),
        secureDelete: db.pragma('secure_delete', { simple: true }),
      };
    } finally {
      db.close();
    }
  },
  version: (file) => reading(file, versionOf),
  inspect: (file) => reading(file, (db) => conditionOf(db, file)),
  backUp,
  unpackBackup,
  droppedLogs,
  isInUse,
  migrate: (file) => void openDatabase(file).close(),
};

function libraryVersion(): string {
  const db = new SqliteDatabase(':memory:');
  const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  db.close();
  return version;
}

/** Opens an existing database, as it is, for as long as `look` takes. Messages name the backup it is a copy of. */
function reading<Result>(file: string, look: (db: Database) => Result, copyOf?: string): Result {
  let db: Database | undefined;
  try {
    keepDamagedLog(file);
    // Not read-only: such a connection leaves an empty log behind, and cannot read one that a crash left.
    db = new SqliteDatabase(file, { fileMustExist: true, timeout: busyTimeoutMs });
    return look(db);
  } catch (error) {
    throw copyOf === undefined
      ? asUnusable(file, error)
      : asUnusable(copyOf, error, 'Nothing was changed: restore another backup.');
  } finally {
    db?.close();
  }
}

function conditionOf(db: Database, file: string): DatabaseCondition {
  const schemaVersion = versionOf(db);
  const hasSecrets =
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'game_secrets'").get() !== undefined;
  return {
    schemaVersion,
    droppedLogs: droppedLogs(file),
    damage: damageOf(db),
    journalMode: String(db.pragma('journal_mode', { simple: true })),
    bytes: statSync(file).size,
    walBytes: logBytesOf(file),
    sealedSample: hasSecrets
      ? (db.prepare<[], string>('SELECT sealed_md5 FROM game_secrets LIMIT 1').pluck().get() ?? null)
      : null,
  };
}

function damageOf(db: Database): string[] {
  const lines = db.prepare<[], string>(`PRAGMA integrity_check(${shownDamage})`).pluck().all();
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

async function backUp(
  from: string,
  to: string,
  files: readonly KeptFile[],
  onProgress: (progress: CopyProgress) => void,
): Promise<BackupContents> {
  const madeAt = Date.now();
  await copy(from, to, onProgress);
  const db = new SqliteDatabase(to);
  try {
    db.pragma('journal_mode = DELETE'); // one file, with nothing beside it
    db.pragma('synchronous = FULL');
    const schemaVersion = versionOf(db);
    db.transaction(() => {
      db.pragma(`application_id = ${backupMark}`);
      db.exec(`CREATE TABLE backup (made_at INTEGER NOT NULL) STRICT;
        CREATE TABLE backup_files (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;`);
      db.prepare('INSERT INTO backup VALUES (?)').run(madeAt);
      const keep = db.prepare('INSERT INTO backup_files VALUES (?, ?)');
      for (const { name, content } of files) keep.run(name, content);
    })();
    refuseDamaged(db, from); // the copy is page by page what it was copied from
    return { madeAt, schemaVersion, files: [...files] };
  } catch (error) {
    throw asUnusable(from, error);
  } finally {
    db.close();
    flush(to);
  }
}

/**
 * SQLite restarts a copy when another process writes in between, which under load would be without end. A
 * read transaction held on the same connection keeps what is copied as it was at the beginning.
 */
async function copy(from: string, to: string, onProgress: (progress: CopyProgress) => void): Promise<void> {
  keepDamagedLog(from);
  const db = new SqliteDatabase(from, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    db.exec('BEGIN');
    db.pragma('user_version'); // the transaction's view of the file is taken with its first read
    const { totalPages } = await db.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ copiedPages: totalPages - remainingPages, totalPages });
        return pagesAStep;
      },
    });
    db.exec('COMMIT');
    onProgress({ copiedPages: totalPages, totalPages });
  } catch (error) {
    throw asUnusable(from, error);
  } finally {
    db.close();
  }
}

function unpackBackup(
  copy: string,
  { backup, keepQueue }: { backup: string; keepQueue: boolean },
): BackupContents & { heldActions: number } {
  return reading(
    copy,
    (db) => {
      if (db.pragma('application_id', { simple: true }) !== backupMark) {
        throw new DatabaseUnusableError(
          `${backup} is a database, but not a backup that \`gantry backup\` has made. To use a copied data ` +
            'directory, point DATA_DIR at it.',
        );
      }
      refuseNewer(db);
      refuseDamaged(db, backup);
      db.pragma('synchronous = FULL');
      db.pragma('secure_delete = ON'); // the keys are to lie in their files alone
      const contents = {
        madeAt: db.prepare<[], number>('SELECT made_at FROM backup').pluck().get() ?? 0,
        schemaVersion: versionOf(db),
        files: db.prepare<[], KeptFile>('SELECT name, content FROM backup_files').all(),
      };
      const heldActions = db.transaction(() => {
        db.exec(`DROP TABLE backup; DROP TABLE backup_files;
        UPDATE history SET epoch = lower(hex(randomblob(8)));`);
        db.pragma('application_id = 0');
        if (keepQueue) return 0;
        holdPrizes(db);
        return holdQueued(db);
      })();
      return { ...contents, heldActions };
    },
    backup,
  );
}

/** What was not sent yet when the backup was made may have been since, and would be paid for again. */
function holdQueued(db: Database): number {
  const columns = db.prepare<[], string>("SELECT name FROM pragma_table_info('actions')").pluck().all();
  if (columns.length === 0) return 0; // of a Gantry that had no queue
  const ended = columns.includes('ended_at') ? ', ended_at = @now' : '';
  return db
    .prepare(
      `UPDATE actions SET state = 'failed', error = @why, claimed_by = NULL, claimed_until = 0, updated_at = @now${ended}
       WHERE kind = 'chain' AND state = 'queued'`,
    )
    .run({ why: heldWhy, now: Date.now() }).changes;
}

/** Likewise the prizes of seasons whose prizes were being given, or that end again because their time has come since. */
function holdPrizes(db: Database): void {
  // A Gantry that had none knew no rules with prizes either.
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'prize_holds'").get()) return;
  db.prepare(
    `INSERT OR IGNORE INTO prize_holds (season_id, game_id)
     SELECT season_id, game_id FROM leaderboards WHERE next_end_at <= ?
     UNION SELECT season_id, game_id FROM prize_runs`,
  ).run(Date.now());
}

/** A connection that has a write-ahead log open holds a lock for as long, which this cannot be had beside. */
function isInUse(file: string): boolean {
  keepDamagedLog(file);
  const db = new SqliteDatabase(file, { fileMustExist: true, timeout: 0 });
  try {
    if (db.pragma('journal_mode', { simple: true }) !== 'wal') return false;
    db.pragma('journal_mode = DELETE');
    db.pragma('journal_mode = WAL');
    return false;
  } catch (error) {
    if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
    if (asUnusable(file, error) instanceof DatabaseUnusableError) return false; // nobody can work with it
    throw error;
  } finally {
    db.close();
  }
}

/** @throws DatabaseUnusableError */
function refuseDamaged(db: Database, file: string): void {
  const damage = damageOf(db);
  if (damage.length === 0) return;
  throw new DatabaseUnusableError(
    `${file} is damaged, and was left as it is. Restore an earlier backup.\n${damage.map((line) => `  ${line}`).join('\n')}`,
  );
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
