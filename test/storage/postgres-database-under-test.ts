import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import type { DatabaseUnderTest } from '../contracts/storage/fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freshSchema } from '../support/postgres-schema.ts';

export interface PostgresDatabaseUnderTest extends DatabaseUnderTest {
  readonly db: PostgresDatabase;
  readonly url: string;
}

/** A dedicated PostgreSQL database, with a clock that stands still until it is moved. */
export async function openPostgresDatabase({
  writesInThread = false,
} = {}): Promise<PostgresDatabaseUnderTest> {
  const database = await freshSchema();
  const clock = new ManualClock();
  const otherProcesses: PostgresDatabase[] = [];
  const open = (inThread = writesInThread) =>
    PostgresDatabase.open(database.url, domain, { clock: clock.memory, writesInThread: inThread });
  let db = await open();
  return {
    get db() {
      return db;
    },
    clock,
    url: database.url,
    async reopen() {
      await db.close();
      db = await open();
      return db;
    },
    async openOtherProcess() {
      const another = await open();
      otherProcesses.push(another);
      return another;
    },
    async openInProcess() {
      const another = await open(false);
      otherProcesses.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([db, ...otherProcesses].map((one) => one.close()));
      await database[Symbol.asyncDispose]();
    },
  };
}
