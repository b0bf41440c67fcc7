import { statSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import type {
  BackupContents,
  CopyProgress,
  DatabaseCondition,
  DatabaseFiles,
  KeptFile,
  SealedColumn,
} from '../../core/storage/database-file.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { namedTables, planUpgrade, type UpgradeSize } from '../../core/storage/migrations.ts';
import { addChecksum, checksumBytes, removeChecksum } from './backup-checksum.ts';
import { compact, copyWithoutFreePages, freeBytesOf } from './compact.ts';
import { droppedLogs, preserveDamagedLog } from './log-damage.ts';
import { latestSchema, migrations, refuseNewer, schemaOf, sealedSample, versionOf } from './migrate.ts';
import { asUnusable, openDatabase, refuseEmpty } from './open-database.ts';
import { prepare } from './prepare.ts';
import { logBytesOf } from './write-ahead-log.ts';

/** Distinguishes a backup from a database in use: "Gtbk" in SQLite's `application_id`. */
const backupApplicationId = 0x4774626b;

/** Number of pages copied between two progress reports. */
const pagesPerStep = 4_096;

/** A database of which at least one part in four is free is copied without its free pages, which is slower by page. */
const freeFraction = 1 / 4;

const busyTimeoutMs = 5_000;
const maxDamageLines = 10;

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
  planUpgrade: (file) => planUpgrade(migrations, file === null ? null : withDatabase(file, schemaOf)),
  measureUpgrade: (file) => withDatabase(file, measureUpgrade),
  inspect: (file, sealed) => withDatabase(file, (db) => conditionOf(db, file, sealed)),
  backUp,
  unpackBackup,
  droppedLogs,
  isInUse,
  compact,
  migrate: (file) => void openDatabase(file).close(),
};

function libraryVersion(): string {
  const db = new SqliteDatabase(':memory:');
  const version = prepare<[], string>(db, 'SELECT sqlite_version()').pluck().get() ?? '';
  db.close();
  return version;
}

/** Opens an existing database, without migrating it, while `use` runs. Messages name `copyOf`, the original backup. */
function withDatabase<Result>(file: string, use: (db: Database) => Result, copyOf?: string): Result {
  let db: Database | undefined;
  try {
    preserveDamagedLog(file);
    if (copyOf === undefined) refuseEmpty(file);
    // Not read-only: such a connection would leave an empty log behind, and cannot recover one after a crash.
    db = new SqliteDatabase(file, { fileMustExist: true, timeout: busyTimeoutMs });
    return use(db);
  } catch (error) {
    throw copyOf === undefined
      ? asUnusable(file, error)
      : asUnusable(copyOf, error, 'Nothing was changed: restore another backup.');
  } finally {
    db?.close();
  }
}

function conditionOf(db: Database, file: string, sealed: SealedColumn): DatabaseCondition {
  return {
    upgrade: planUpgrade(migrations, schemaOf(db)),
    droppedLogs: droppedLogs(file),
    damage: damageOf(db),
    journalMode: String(db.pragma('journal_mode', { simple: true })),
    bytes: statSync(file).size,
    freeBytes: freeBytesOf(db),
    walBytes: logBytesOf(file),
    sealedSample: sealedSample(db, sealed),
  };
}

function damageOf(db: Database): string[] {
  const lines = prepare<[], string>(db, `PRAGMA integrity_check(${maxDamageLines})`).pluck().all();
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

/** The size of single tables is not known: the bytes are those of the database, if any table is concerned. */
function measureUpgrade(db: Database): UpgradeSize {
  const names = prepare<[], string>(db, "SELECT name FROM pragma_table_list WHERE schema = 'main'")
    .pluck()
    .all();
  const tables = namedTables(migrations.slice(versionOf(db)), names);
  const rows = tables
    .map((name) => prepare<[], number>(db, `SELECT count(*) FROM "${name}"`).pluck().get() ?? 0)
    .reduce((sum, count) => sum + count, 0);
  const bytes =
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  return { tables, rows, bytes: rows === 0 ? 0 : bytes };
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
  let schemaVersion: number;
  try {
    db.pragma('journal_mode = DELETE'); // a single file, without a log
    db.pragma('synchronous = FULL');
    schemaVersion = versionOf(db);
    db.transaction(() => {
      db.pragma(`application_id = ${backupApplicationId}`);
      db.exec(`CREATE TABLE backup (made_at INTEGER NOT NULL) STRICT;
        CREATE TABLE backup_files (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;`);
      prepare(db, 'INSERT INTO backup VALUES (?)').run(madeAt);
      const keep = prepare(db, 'INSERT INTO backup_files VALUES (?, ?)');
      for (const { name, content } of files) keep.run(name, content);
    })();
    refuseDamaged(db, from); // what is damaged in the copy is so in the source
  } catch (error) {
    throw asUnusable(isOfWriting(error) ? to : from, error);
  } finally {
    db.close();
  }
  addChecksum(to);
  return { madeAt, schemaVersion, files: [...files] };
}

/**
 * SQLite restarts a backup when another process writes in between, so under load it would never finish. An open read
 * transaction on the same connection makes it copy a snapshot from the start.
 */
async function copy(from: string, to: string, onProgress: (progress: CopyProgress) => void): Promise<void> {
  preserveDamagedLog(from);
  refuseEmpty(from);
  const db = new SqliteDatabase(from, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    const size = Number(db.pragma('page_count', { simple: true }));
    const free = Number(db.pragma('freelist_count', { simple: true }));
    if (free >= size * freeFraction) {
      copyWithoutFreePages(db, to);
      onProgress({ copiedPages: size - free, totalPages: size - free });
      return;
    }
    db.exec('BEGIN');
    db.pragma('user_version'); // the snapshot is taken by the first read
    const { totalPages } = await db.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress({ copiedPages: totalPages - remainingPages, totalPages });
        return pagesPerStep;
      },
    });
    db.exec('COMMIT');
    onProgress({ copiedPages: totalPages, totalPages });
  } catch (error) {
    throw asUnusable(isOfWriting(error) ? to : from, error);
  } finally {
    db.close();
  }
}

/** Whether it concerns the copy: the database is only read. */
function isOfWriting(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && /^SQLITE_(FULL|IOERR_WRITE)/.test(error.code);
}

function unpackBackup(copy: string, backup: string): BackupContents {
  const isUnchanged = removeChecksum(copy);
  return withDatabase(
    copy,
    (db) => {
      if (statSync(copy).size === 0)
        throw new DatabaseUnusableError(`${backup} is empty. Restore another backup.`);
      if (db.pragma('application_id', { simple: true }) !== backupApplicationId) {
        throw new DatabaseUnusableError(
          `${backup} is a database, but not a backup made by \`gantry backup\`. To use a copied data ` +
            'directory, point DATA_DIR at it.',
        );
      }
      refuseNewer(db);
      refuseDamaged(db, backup);
      if (!isUnchanged) throw new DatabaseUnusableError(describeChanged(backup));
      db.pragma('synchronous = FULL');
      db.pragma('secure_delete = ON'); // the keys must remain only in their files
      const contents = {
        madeAt: prepare<[], number>(db, 'SELECT made_at FROM backup').pluck().get() ?? 0,
        schemaVersion: versionOf(db),
        files: prepare<[], KeptFile>(db, 'SELECT name, content FROM backup_files').all(),
      };
      db.transaction(() => {
        db.exec(`DROP TABLE backup; DROP TABLE backup_files;
        UPDATE history SET epoch = lower(hex(randomblob(8)));`);
        db.pragma('application_id = 0');
      })();
      return contents;
    },
    backup,
  );
}

function describeChanged(backup: string): string {
  return (
    `${backup} has changed since it was made: its contents do not match its checksum. Restore another backup. If ` +
    `it was changed on purpose, remove the checksum, its last ${checksumBytes} bytes.`
  );
}

/** Leaving WAL mode needs an exclusive lock, which is impossible while another connection has the database open. */
function isInUse(file: string): boolean {
  preserveDamagedLog(file);
  const db = new SqliteDatabase(file, { fileMustExist: true, timeout: 0 });
  try {
    if (db.pragma('journal_mode', { simple: true }) !== 'wal') return false;
    db.pragma('journal_mode = DELETE');
    db.pragma('journal_mode = WAL');
    return false;
  } catch (error) {
    if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
    if (asUnusable(file, error) instanceof DatabaseUnusableError) return false; // no process can use it
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
    `${file} is damaged and was not modified. Restore an earlier backup.\n${damage.map((line) => `  ${line}`).join('\n')}`,
  );
}
