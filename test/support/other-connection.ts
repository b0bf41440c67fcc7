import SqliteDatabase, { type Database } from 'better-sqlite3';

/** Another program's connection to a database file, with what it may hold against us. */
export interface OtherConnection extends Disposable {
  db: Database;
  /** Lets go of what it holds. */
  letGo(): void;
}

/** Reads the file, and keeps its view of it until let go. */
export function holdView(file: string): OtherConnection {
  return hold(file, (db) => {
    db.exec('BEGIN');
    db.prepare('SELECT count(*) FROM games').get();
  });
}

/** Takes the write lock, and keeps it until let go. */
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
