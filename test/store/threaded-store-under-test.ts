import { join } from 'node:path';
import { ThreadedStore } from '../../src/store/sqlite/threaded-store.ts';
import type { StoreUnderTest } from '../contracts/store/fixture.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface ThreadedStoreUnderTest extends StoreUnderTest {
  readonly store: ThreadedStore;
  /** The database file. */
  readonly file: string;
}

/** A store that writes in a thread of its own, on a file of its own, with a clock that stands still until it is moved. */
export async function openThreadedStore(): Promise<ThreadedStoreUnderTest> {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const file = join(directory.path, 'gantry.db');
  const open = () => new ThreadedStore(file, { clock: clock.memory });
  const beside: ThreadedStore[] = [];
  let store = open();
  return {
    get store() {
      return store;
    },
    clock,
    file,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async openBeside() {
      const another = open();
      beside.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([store, ...beside].map((one) => one.close()));
      await directory[Symbol.asyncDispose]();
    },
  };
}
