import { ContractWallets } from './auth/contract-wallets.ts';
import { SecretBox } from './auth/game-secret.ts';
import { LauncherTokens } from './auth/launcher-token.ts';
import { TokenKeys } from './auth/token-keys.ts';
import { type Config, dataFiles } from './config.ts';
import { Signals } from './events/signals.ts';
import { noFigures } from './figures/figures.ts';
import { Links } from './links.ts';
import type { Services } from './operations/define.ts';
import { MemoryPresence } from './presence/memory-presence.ts';
import { ChainClients } from './rules/chain/chain-client.ts';
import { RuleChains } from './rules/chain/rule-chains.ts';
import { Signers } from './rules/chain/signers.ts';
import type { DatabaseFiles } from './store/database-file.ts';
import { sqliteFiles } from './store/sqlite/sqlite-files.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import { ThreadedStore } from './store/sqlite/threaded-store.ts';
import type { Store } from './store/store.ts';

/** What is done with databases as files: backups, and looking at one without opening it as a store. */
export const databaseFiles: DatabaseFiles = sqliteFiles;

/** What lies in a data directory, opened. A server and the command line may have it open at the same time. */
export interface Workspace {
  store: Store;
  keys: TokenKeys;
  tokens: LauncherTokens;
  box: SecretBox;
}

/**
 * Opens a data directory for a command, or (`'server'`) for many callers at once, whose writes then have a
 * thread of their own.
 * @throws SchemaTooNewError, DatabaseUnusableError
 */
export function openWorkspace(config: Config, opener: 'command' | 'server' = 'command'): Workspace {
  const files = dataFiles(config.dataDirectory);
  const keys = new TokenKeys(files.tokenKeys);
  const KindOfStore = opener === 'server' ? ThreadedStore : SqliteStore;
  return {
    keys,
    store: new KindOfStore(files.database, { retention: config.retention }),
    tokens: new LauncherTokens(keys),
    box: new SecretBox(files.secretKey, config.secretKey),
  };
}

/** What operations work with where no server runs: on the command line. */
export function localServices(workspace: Workspace, config: Config): Services {
  return {
    ...workspace,
    presence: new MemoryPresence(),
    links: new Links(() => config.publicUrl ?? `http://${config.host}:${config.port}`),
    signals: new Signals(() => undefined), // nobody listens here
    figures: noFigures,
    contractWallets: new ContractWallets(config.chains),
    ruleChains: new RuleChains(new ChainClients(config.chains), new Signers(config.transactions)),
    sessionLifetimeMs: config.sessionLifetimeMs,
  };
}
