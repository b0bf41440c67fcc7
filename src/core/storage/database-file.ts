import type { UpgradePlan, UpgradeSize } from './migrations.ts';
import { type AnyTable, columnOf } from './table.ts';

/** A file stored in a backup in addition to the database, such as a key. */
export interface KeptFile {
  name: string;
  content: Buffer;
}

/** The metadata and additional files of a backup. */
export interface BackupContents {
  /** Unix milliseconds. */
  madeAt: number;
  schemaVersion: number;
  files: KeptFile[];
}

/** A damaged write-ahead log: acknowledged writes in it are lost. */
export interface DroppedLog {
  /** The copy that was preserved. */
  file: string;
  /** Minimum number of lost frames; a transaction has one or more. */
  frames: number;
}

/** The result of a read-only inspection of a database. */
export interface DatabaseCondition {
  upgrade: UpgradePlan;
  /** Copies of damaged write-ahead logs from which SQLite dropped frames. */
  droppedLogs: DroppedLog[];
  /** The errors found by SQLite's integrity check, at most ten lines; empty when there are none. */
  damage: string[];
  journalMode: string;
  /** Size of the file. */
  bytes: number;
  /** The part of the file that deleted data has left free, and later writes use. */
  freeBytes: number;
  /** Size of the write-ahead log. */
  walBytes: number;
  /** A value of the requested column; null when there is none. */
  sealedSample: string | null;
}

export interface CopyProgress {
  copiedPages: number;
  totalPages: number;
}

/** A column whose values are encrypted with the secret key. */
export interface SealedColumn {
  readonly table: AnyTable;
  readonly column: string;
}

/** Says whether the secret key is the one that the values of a column are encrypted with. */
export interface SealCheck extends SealedColumn {
  /** Called with a value, before a database is migrated. @throws ConfigError when the key is another */
  refuseOtherKey(sealed: string): void;
}

/** A query for one value of the column. */
export function sealedSampleText({ table, column }: SealedColumn): string {
  return `SELECT ${columnOf(table, column).sqlName} AS sealed FROM ${table.name} LIMIT 1`;
}

/** Operations on a database as a file, whether or not a server is using it. */
export interface DatabaseFiles {
  /** The schema version supported by this Gantry. */
  readonly schemaVersion: number;
  readonly libraryVersion: string;
  /** What this program would do to the schema of a database; null: to a new one. @throws DatabaseUnusableError */
  planUpgrade(file: string | null): UpgradePlan;
  /** The tables that this would read or rewrite. @throws DatabaseUnusableError */
  measureUpgrade(file: string): UpgradeSize;
  /** The effective connection settings of SQLite, read back from a database that was opened as usual. */
  settings(
    scratchFile: string,
  ): Record<'journalMode' | 'synchronous' | 'foreignKeys' | 'secureDelete', unknown>;
  /** Samples a value of `sealed`. @throws DatabaseUnusableError when it cannot be read as a database */
  inspect(file: string, sealed: SealedColumn): DatabaseCondition;
  /**
   * Copies a snapshot of the database, taken at the start, and the additional files into a new file, and runs a full
   * integrity check on it. Concurrent writers are not blocked. If much of the database is free, the copy is compact.
   * @throws DatabaseUnusableError
   */
  backUp(
    from: string,
    to: string,
    files: readonly KeptFile[],
    onProgress: (progress: CopyProgress) => void,
  ): Promise<BackupContents>;
  /**
   * Turns the copy of a backup into a usable database: verifies it, extracts the additional files, and gives the
   * history a new epoch, so that cursors from after the backup are not mistaken for current ones. Error messages
   * name `backup`, the file that was copied.
   * @throws DatabaseUnusableError, SchemaTooNewError
   */
  unpackBackup(copy: string, backup: string): BackupContents;
  /** The damaged write-ahead logs that were preserved when this database was opened, now or earlier. */
  droppedLogs(file: string): DroppedLog[];
  /** Whether any process has the database open. */
  isInUse(file: string): boolean;
  /**
   * Gives the space of deleted data back to the disk; no process may be using the database.
   * @throws DatabaseUnusableError; the file is then unchanged
   */
  compact(file: string): void;
  /** Migrates the schema to the latest version. @throws DatabaseUnusableError, SchemaTooNewError */
  migrate(file: string): void;
}
