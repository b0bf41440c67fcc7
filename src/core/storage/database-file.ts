/** What queued on-chain actions say that a restored backup holds. */
export const heldWhy =
  'It was waiting when the backup was made and may have been carried out since: look at the chain, and retry it if not';

/** A file that lies in a backup beside the database, such as a key. */
export interface KeptFile {
  name: string;
  content: Buffer;
}

/** What a backup says of itself. */
export interface BackupContents {
  /** Unix milliseconds. */
  madeAt: number;
  schemaVersion: number;
  files: KeptFile[];
}

/** A write-ahead log that was damaged: acknowledged writes in it are lost. */
export interface DroppedLog {
  /** Where it was kept. */
  file: string;
  /** That were not taken in, at least; a transaction is one or more. */
  frames: number;
}

/** What is found in a database that is looked at without being changed. */
export interface DatabaseCondition {
  schemaVersion: number;
  /** Damaged write-ahead logs that were kept when something of them was dropped. */
  droppedLogs: DroppedLog[];
  /** What SQLite says is wrong, at most ten lines; empty: nothing. */
  damage: string[];
  journalMode: string;
  /** Of the file, in bytes. */
  bytes: number;
  /** Of the write-ahead log, in bytes. */
  walBytes: number;
  /** Text that the configured key must open; null when no game secret is kept. */
  sealedSample: string | null;
}

export interface CopyProgress {
  copiedPages: number;
  totalPages: number;
}

/** What is done with a database as a file, whether or not a server works with it. */
export interface DatabaseFiles {
  /** The schema version that this Gantry works with. */
  readonly schemaVersion: number;
  readonly libraryVersion: string;
  /** The schema version of a database. @throws DatabaseUnusableError */
  version(file: string): number;
  /** How an engine opens a database: settings that SQLite keeps for a connection, read back. */
  settings(
    scratchFile: string,
  ): Record<'journalMode' | 'synchronous' | 'foreignKeys' | 'secureDelete', unknown>;
  /** @throws DatabaseUnusableError when it cannot be read as a database */
  inspect(file: string): DatabaseCondition;
  /**
   * Copies the database, as it is at the beginning, into a new file, puts other files beside it in there, and
   * checks the result from beginning to end. Who writes to the database meanwhile is not held up.
   * @throws DatabaseUnusableError
   */
  backUp(
    from: string,
    to: string,
    files: readonly KeptFile[],
    onProgress: (progress: CopyProgress) => void,
  ): Promise<BackupContents>;
  /**
   * Makes of the copy of a backup a database to work with: checks it, takes the other files out, and gives its
   * history a new name, so that cursors from after the backup are not mistaken for ones into it. Messages name
   * `backup`, the file that was copied.
   * @throws DatabaseUnusableError, SchemaTooNewError
   */
  unpackBackup(
    copy: string,
    options: { backup: string; keepQueue: boolean },
  ): BackupContents & { heldActions: number };
  /** The damaged write-ahead logs that were kept when this database was opened, here or earlier. */
  droppedLogs(file: string): DroppedLog[];
  /** Whether any process has the database open. */
  isInUse(file: string): boolean;
  /** Brings the schema up to date. @throws DatabaseUnusableError, SchemaTooNewError */
  migrate(file: string): void;
}
