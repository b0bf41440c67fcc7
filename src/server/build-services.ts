import { MemoryPresence } from '../cluster/presence/memory-presence.ts';
import type { Config } from '../config.ts';
import { Signals } from '../core/events/signals.ts';
import { PublicUrls } from '../core/public-urls.ts';
import type { Backups } from '../features/administration/backups.ts';
import { GameSessions } from '../features/administration/game-sessions.ts';
import { ServerSummary } from '../features/administration/server-summary.ts';
import { ChainClients } from '../features/chains/chain-client.ts';
import { ContractWallets } from '../features/chains/contract-wallets.ts';
import { Signers } from '../features/chains/signers.ts';
import { MaintenanceWatch } from '../features/maintenance/maintenance-watch.ts';
import { RuleChains } from '../features/rules/rule-chains.ts';
import { GameAccess } from '../features/sessions/game-access.ts';
import { StatePatcher } from '../features/states/state-patcher.ts';
import { StateReader } from '../features/states/state-reader.ts';
import { AddressGuard } from '../features/webhooks/address-guard.ts';
import { HttpWebhookSender } from '../features/webhooks/http-webhook-sender.ts';
import { noGameCalls } from '../telemetry/game-calls.ts';
import { noNodes } from '../telemetry/nodes.ts';
import { noRequests } from '../telemetry/recent-requests.ts';
import { noRefusals } from '../telemetry/refusals.ts';
import { noStats } from '../telemetry/stats.ts';
import { BackupDirectory } from './backup/backup-directory.ts';
import { upgradeGuest } from './declarations/commands.ts';
import { operationsOfRole, type Services } from './declarations/operations.ts';
import { tables } from './declarations/tables.ts';
import type { OpenStore } from './open-store.ts';
import { runningServerUrl } from './server-address.ts';

/** The services in which a server and a command differ. */
export interface Surroundings
  extends Pick<
    Services,
    'presence' | 'players' | 'signals' | 'stats' | 'refusals' | 'requests' | 'gameCalls' | 'nodes'
  > {
  /** The URL under which callers reach the server, unless one is configured. */
  url(): string;
  chainClients: ChainClients;
  signers: Signers;
  /** Receives the errors of backups that run in the background. */
  reportBackup: ((thrown: unknown) => void) | null;
}

/** Builds the services that operations are called with. */
export function buildServices(
  store: OpenStore,
  config: Config,
  { url, chainClients, signers, reportBackup, ...surroundings }: Surroundings,
): Services {
  const { db, tokens, box } = store;
  const states = new StateReader();
  return {
    ...surroundings,
    db,
    tokens,
    box,
    tables,
    maintenance: new MaintenanceWatch(db, surroundings.signals),
    publicUrls: new PublicUrls(() => config.publicUrl ?? url()),
    backups: chooseBackups(config, store, reportBackup),
    operationsOfRole,
    summary: new ServerSummary(db, config.gameStorageQuota),
    gameSessions: new GameSessions(db),
    contractWallets: new ContractWallets(config.chains),
    ruleChains: new RuleChains(chainClients, signers),
    gameAccess: new GameAccess(chainClients),
    states,
    statePatcher: new StatePatcher(states),
    webhookSender: new HttpWebhookSender({ guard: new AddressGuard(config.webhookAddresses) }),
    sessionLifetimeMs: config.sessionLifetimeMs,
    sessionRenewalMs: config.sessionRenewalMs,
    guests: config.guests,
    upgradeGuest,
    storageQuota: config.storageQuota,
  };
}

/** The services for operations run on the command line, without a server. */
export async function localServices(store: OpenStore, config: Config): Promise<Services> {
  return buildServices(store, config, {
    presence: new MemoryPresence(),
    // There are no sockets.
    players: {
      visible: () => null,
      isHiding: () => false,
      playing: () => 0,
      playingAny: () => 0,
      liveGames: () => 0,
    },
    url: () => runningServerUrl(config.dataDirectory) ?? `http://${config.host}:${config.port}`,
    signals: new Signals(() => undefined), // there are no sockets
    stats: noStats,
    refusals: noRefusals,
    requests: noRequests,
    gameCalls: noGameCalls,
    nodes: noNodes,
    chainClients: new ChainClients(config.chains),
    signers: await Signers.open(config.transactions),
    reportBackup: null,
  });
}

/** PostgreSQL is backed up with its own tools. */
function chooseBackups(
  config: Config,
  { db, box }: Pick<OpenStore, 'db' | 'box'>,
  report: ((thrown: unknown) => void) | null,
): Backups | null {
  const { dataDirectory, backupDirectory: directory } = config;
  return config.databaseUrl === undefined
    ? new BackupDirectory({ dataDirectory, directory, db, box, report })
    : null;
}
