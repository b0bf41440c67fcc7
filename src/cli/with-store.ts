import { type Config, readConfig } from '../config.ts';
import { type Opener, type OpenStore, openStore } from '../server/open-store.ts';
import { confirmNewDataDirectory } from './new-data-directory.ts';

/** Opens the data directory, runs a command, and closes it. A server may be using it at the same time. */
export async function withStore<Result>(
  command: (store: OpenStore, config: Config) => Promise<Result>,
  opener: Opener = 'command',
): Promise<Result> {
  const config = readConfig();
  await confirmNewDataDirectory(config);
  const store = await openStore(config, opener);
  try {
    return await command(store, config);
  } finally {
    await store.db.close();
  }
}
