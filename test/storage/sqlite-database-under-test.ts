import { join } from 'node:path';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import type { DatabaseUnderTest } from '../contracts/storage/fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface SqliteDatabaseUnderTest extends DatabaseUnderTest {
  readonly db: SqliteDatabase;
  /** The database file. */
  readonly file: string;
  reopen(): Promise<SqliteDatabase>;
}

/** A SQLite database in a separate file, with a clock that stands still until it is moved. */
export async function openSqliteDatabase(): Promise<SqliteDatabaseUnderTest> {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const clock = new ManualClock();
  const otherProcesses: SqliteDatabase[] = [];
  let db = new SqliteDatabase(file, domain, { clock: clock.read });
  return {
    get db() {
      return db;
    },
    clock,
    file,
    async reopen() {
      await db.close();
      db = new SqliteDatabase(file, domain, { clock: clock.read });
      return db;
    },
    async openOtherProcess() {
      const another = new SqliteDatabase(file, domain, { clock: clock.read });
      otherProcesses.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([db, ...otherProcesses].map((one) => one.close()));
      await directory[Symbol.asyncDispose]();
    },
  };
}
