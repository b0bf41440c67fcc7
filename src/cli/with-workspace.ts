import { type Config, readConfig } from '../config.ts';
import { type Opener, openWorkspace, type Workspace } from '../workspace.ts';

/** Runs a command on the data directory, whether or not a server is running on it, and lets go of it. */
export async function withWorkspace<Result>(
  command: (workspace: Workspace, config: Config) => Promise<Result>,
  opener: Opener = 'command',
): Promise<Result> {
  const config = readConfig();
  const workspace = openWorkspace(config, opener);
  try {
    return await command(workspace, config);
  } finally {
    await workspace.store.close();
  }
}
