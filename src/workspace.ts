import { SecretBox } from './auth/game-secret.ts';
import { LauncherTokens } from './auth/launcher-token.ts';
import { type Config, dataFiles } from './config.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

/** What lies in a data directory, opened. A server and the command line may have it open at the same time. */
export interface Workspace {
  store: Store;
  tokens: LauncherTokens;
  box: SecretBox;
}

/** @throws SchemaTooNewError */
export function openWorkspace(config: Config): Workspace {
  const files = dataFiles(config.dataDirectory);
  return {
    store: new SqliteStore(files.database, { retention: config.retention }),
    tokens: new LauncherTokens(files.tokenKeys),
    box: new SecretBox(files.secretKey),
  };
}
