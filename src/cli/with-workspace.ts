import { type Config, readConfig } from '../config.ts';
import { type Opener, openWorkspace, type Workspace } from '../data-directory.ts';
import { confirmNewDataDirectory } from './new-data-directory.ts';

/** Opens the data directory, also while a server is running on it, runs a command, and closes it. */
export async function withWorkspace<Result>(
  command: (workspace: Workspace, config: Config) => Promise<Result>,
  opener: Opener = 'command',
): Promise<Result> {
  const config = readConfig();
  await confirmNewDataDirectory(config);
  const workspace = await openWorkspace(config, opener);
  try {
    return await command(workspace, config);
  } finally {
    await workspace.db.close();
  }
}
