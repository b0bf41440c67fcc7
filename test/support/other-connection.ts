import SqliteDatabase, { type Database } from 'better-sqlite3';

/** Another program's connection to a database file, and the locks it may hold. */
export interface OtherConnection extends Disposable {
  db: Database;
  /** Releases its locks. */
  letGo(): void;
}

/** Reads the file, and keeps its snapshot until `letGo`. */
export function holdView(file: string): OtherConnection {
  return hold(file, (db) => {
    db.exec('BEGIN');
    db.prepare('SELECT count(*) FROM games').get();
  });
}

/** Acquires the write lock, and keeps it until `letGo`. */
export function holdWriteLock(file: string): OtherConnection {
  return hold(file, (db) => db.exec('BEGIN IMMEDIATE'));
}

function hold(file: string, take: (db: Database) => void): OtherConnection {
  const db = new SqliteDatabase(file);
  take(db);
  const letGo = () => {
    if (db.inTransaction) db.exec('ROLLBACK');
  };
  return {
    db,
    letGo,
    [Symbol.dispose]() {
      letGo();
      db.close();
    },
  };
}
