import { existsSync } from 'node:fs';
import { ContractWallets } from './auth/contract-wallets.ts';
import { SecretBox } from './auth/game-secret.ts';
import { KeyFileError } from './auth/key-file.ts';
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
import { StateReader } from './states/state-reader.ts';
import type { DatabaseFiles } from './store/database-file.ts';
import type { GameTransfer } from './store/game-transfer.ts';
import { openDatabase } from './store/sqlite/open-database.ts';
import { sqliteFiles } from './store/sqlite/sqlite-files.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import { ThreadedStore } from './store/sqlite/threaded-store.ts';
import type { Store } from './store/store.ts';
import { AddressGuard } from './webhooks/address-guard.ts';
import { HttpWebhookSender } from './webhooks/http-webhook-sender.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

/** What is done with databases as files: backups, and looking at one without opening it as a store. */
export const databaseFiles: DatabaseFiles = sqliteFiles;

/** What lies in a data directory, opened. A server and the command line may have it open at the same time. */
export interface Workspace {
  store: Store;
  keys: TokenKeys;
  tokens: LauncherTokens;
  box: SecretBox;
}

/** Who opens a data directory: a command, or a server, which makes writes in a thread of their own. */
export type Opener = 'command' | 'key rotation' | 'server';

/**
 * Opens a data directory. The first to do so makes the keys, then the database: one without its keys has lost
 * them, which only a key rotation takes for granted.
 * @throws SchemaTooNewError, DatabaseUnusableError, KeyFileError
 */
export function openWorkspace(config: Config, opener: Opener = 'command'): Workspace {
  const { keys, box } = openKeys(config, opener);
  const KindOfStore = opener === 'server' ? ThreadedStore : SqliteStore;
  return {
    keys,
    store: new KindOfStore(dataFiles(config.dataDirectory).database, { retention: config.retention }),
    tokens: new LauncherTokens(keys),
    box,
  };
}

/** Makes the keys where there is no database yet, which comes after them, and asks for them where there is one. */
function openKeys(config: Config, opener: Opener): Pick<Workspace, 'keys' | 'box'> {
  const { database, tokenKeys, secretKey } = dataFiles(config.dataDirectory);
  const wantsTokenKeys = opener !== 'key rotation' && !existsSync(tokenKeys);
  const wantsSecretKey = config.secretKey === undefined && !existsSync(secretKey);
  if ((wantsTokenKeys || wantsSecretKey) && existsSync(database)) {
    openDatabase(database).close(); // what is wrong with it goes before what is missing beside it
    throw new KeyFileError(wantsTokenKeys ? tokenKeysMissing(tokenKeys) : secretKeyMissing(secretKey));
  }
  return { keys: new TokenKeys(tokenKeys), box: new SecretBox(secretKey, config.secretKey) };
}

function tokenKeysMissing(file: string): string {
  return (
    `${file} is missing, and the database beside it is not. Put it back from a backup; if there is none, run ` +
    '`gantry key rotate`: players then sign in again.'
  );
}

function secretKeyMissing(file: string): string {
  return (
    `${file} is missing, and the database beside it is not. Put it back from a backup, or set GANTRY_SECRET_KEY to ` +
    'what it held: game secrets cannot be read without it.'
  );
}

/**
 * A data directory, opened to move games out of it or into it.
 * @throws SchemaTooNewError, DatabaseUnusableError, KeyFileError
 */
export function openTransfer(config: Config): { store: Store; box: SecretBox; transfer: GameTransfer } {
  const { box } = openKeys(config, 'command');
  const store = new SqliteStore(dataFiles(config.dataDirectory).database, { retention: config.retention });
  return { store, box, transfer: store.transfer };
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
    states: new StateReader(),
    webhookSender: chooseWebhookSender(config),
    sessionLifetimeMs: config.sessionLifetimeMs,
  };
}

export function chooseWebhookSender({ webhookAllowLoopback }: Config): WebhookSender {
  return new HttpWebhookSender({ guard: new AddressGuard(webhookAllowLoopback) });
}
