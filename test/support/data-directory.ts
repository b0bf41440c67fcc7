import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { type Config, dataFiles } from '../../src/config.ts';

/** Opens a server's database beside it, for what no operation shows or puts in place. */
export function inDatabase<Result>(config: Config, look: (db: Database) => Result): Result {
  const db = new SqliteDatabase(dataFiles(config.dataDirectory).database, { timeout: 5000 });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** The files of a data directory (the write-ahead log is one) in which a text can be read. */
export function filesHolding(dataDirectory: string, text: string): string[] {
  return readdirSync(dataDirectory).filter((file) => readFileSync(join(dataDirectory, file)).includes(text));
}
