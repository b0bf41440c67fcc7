import { join } from 'node:path';
import { SqliteDatabase, ThreadedDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import type { DatabaseUnderTest } from '../contracts/storage/fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface ThreadedDatabaseUnderTest extends DatabaseUnderTest {
  readonly db: ThreadedDatabase;
  /** The database file. */
  readonly file: string;
}

/**
 * A database that writes in a separate thread, in a separate file, with a clock that stands still until it is moved.
 */
export async function openThreadedDatabase(): Promise<ThreadedDatabaseUnderTest> {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const file = join(directory.path, 'gantry.db');
  const open = () => new ThreadedDatabase(file, domain, { clock: clock.memory });
  const otherProcesses: (ThreadedDatabase | SqliteDatabase)[] = [];
  let db = open();
  return {
    get db() {
      return db;
    },
    clock,
    file,
    async reopen() {
      await db.close();
      db = open();
      return db;
    },
    async openOtherProcess() {
      const another = open();
      otherProcesses.push(another);
      return another;
    },
    async openInProcess() {
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
