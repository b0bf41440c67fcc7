import { join } from 'node:path';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { StoreUnderTest } from '../contracts/store/fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface SqliteStoreUnderTest extends StoreUnderTest {
  readonly store: SqliteStore;
  /** The database file. */
  readonly file: string;
  reopen(): Promise<SqliteStore>;
}

/** A SQLite store on a file of its own, with a clock that stands still until it is moved. */
export async function openSqliteStore(): Promise<SqliteStoreUnderTest> {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const clock = new ManualClock();
  const beside: SqliteStore[] = [];
  let store = new SqliteStore(file, { clock: clock.read });
  return {
    get store() {
      return store;
    },
    clock,
    file,
    async reopen() {
      await store.close();
      store = new SqliteStore(file, { clock: clock.read });
      return store;
    },
    async openBeside() {
      const another = new SqliteStore(file, { clock: clock.read });
      beside.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([store, ...beside].map((one) => one.close()));
      await directory[Symbol.asyncDispose]();
    },
  };
}
