import type { Logger } from 'pino';
import { startBackupSchedule } from './backup/backup-schedule.ts';
import { buildTransports, type Transports } from './build-transports.ts';
import { removeIdleGuests } from './catalogue/commands.ts';
import type { Services } from './catalogue/operations.ts';
import { ChainWriter } from './chains/chain-writer.ts';
import type { ChainHooks } from './chains/lane.ts';
import type { Config } from './config.ts';
import type { SecretBox } from './games/game-secret.ts';
import { reconcilePresence } from './live/reconcile-presence.ts';
import { type OpenedServices, openServices } from './open-services.ts';
import { PrizeWorker } from './prizes/prize-worker.ts';
import { type QueueStats, queueStats } from './queue/queue-stats.ts';
import { startRetention } from './retention.ts';
import { startSeasonEnds } from './scores/season-ends.ts';
import { prizeWorkerName } from './scores/season-prizes.ts';
import { forgetServerAddress, keepServerAddress } from './server-address.ts';
import { listenOn } from './transports/http/http-server.ts';
import { WebhookWorker } from './webhooks/webhook-worker.ts';

/** How long a shutdown may take to drain the sockets and finish the requests under way, together. */
const closeTimeoutMs = 6_500;
/** How long it then waits for the last requests of open connections, before it closes them. */
const lastRequestsMs = 500;

export interface RunningServer {
  /** Where it listens, `http://HOST:PORT`. */
  url: string;
  /** Where metrics are served without a token; null: nowhere. */
  metricsUrl: string | null;
  services: Services;
  /** What carries out the durable queue in this process; for metrics. */
  queue: {
    webhooks: WebhookWorker;
    chains: ChainWriter;
    prizes: PrizeWorker;
    stats(): Promise<QueueStats[]>;
  };
  box: SecretBox;
  /** The administrators' token, when this start has made it. */
  madeAdminToken: string | null;
  /** Stops taking calls, finishes those under way, and lets go of the data directory. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server, step by step. Resolves when it takes calls. */
export async function startServer(
  config: Config,
  logger: Logger,
  hooks: ChainHooks = {},
): Promise<RunningServer> {
  const background = new AbortController();
  let url = '';
  let closed: Promise<void> | null = null;
  const opened = await openServices(config, logger, {
    url: () => url,
    gateway: () => transports.gateway,
    background: background.signal,
  });
  const queue = openQueue(config, opened, hooks);
  const transports = buildTransports(config, opened, queue, () => closed !== null);
  await startBackgroundWork(config, opened, queue, transports, background.signal);
  const listening = await listen(config, transports);
  url = listening.url;
  keepServerAddress(config.dataDirectory, url);
  const close = () => {
    background.abort();
    forgetServerAddress(config.dataDirectory);
    closed ??= closeAll(opened, queue, transports);
    return closed;
  };
  return {
    ...listening,
    services: opened.services,
    queue,
    box: opened.box,
    madeAdminToken: opened.adminToken.made,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What carries out the durable queue. */
function openQueue(config: Config, opened: OpenedServices, hooks: ChainHooks): RunningServer['queue'] {
  const { db, box, logger, services, chainClients, signers } = opened;
  const report = (error: unknown) => logger.warn({ err: error }, 'queue worker failed, retrying');
  const webhooks = new WebhookWorker(db, { sender: services.webhookSender, box, report });
  const chains = new ChainWriter(db, {
    clients: chainClients,
    signers,
    settings: config.transactions,
    report,
    hooks,
  });
  const stats = queueStats(db, { webhook: webhooks, chain: chains });
  const { ruleChains, states } = services;
  const prizes = new PrizeWorker(db, { ruleChains, states, report });
  return { webhooks, chains, prizes, stats };
}

/** What goes on beside the calls, until the signal is aborted or its part is stopped. */
async function startBackgroundWork(
  { retention, notificationMs, idempotencyKeyMs, guests }: Config,
  { db, presence, redis, stats, services, report }: OpenedServices,
  { webhooks, chains, prizes }: RunningServer['queue'],
  { gateway }: Transports,
  signal: AbortSignal,
): Promise<void> {
  await gateway.start();
  redis?.onReady(() => gateway.catchUp());
  reconcilePresence(db, presence, { signal, report });
  db.onCommit((events) => {
    stats.countEvents(events.length);
  });
  db.onWake((workers) => {
    if (workers.includes('webhook')) webhooks.wake();
    if (workers.includes('chain')) chains.wake();
    if (workers.includes(prizeWorkerName)) prizes.wake();
  });
  webhooks.start();
  chains.start();
  prizes.start();
  if (services.backups.unavailable === null) startBackupSchedule(db, services.backups, { signal, report });
  startSeasonEnds(db, { signal, report });
  startRetention(
    db,
    { ...retention, notificationMs, idempotencyKeyMs, guestIdleMs: guests.idleMs, removeIdleGuests },
    { signal, report },
  );
}

async function listen(
  config: Config,
  { http, metricsListener }: Transports,
): Promise<Pick<RunningServer, 'url' | 'metricsUrl'>> {
  const { metrics } = config;
  const metricsUrl =
    metrics && metricsListener ? await metricsListener.listen(metrics.port, metrics.host) : null;
  try {
    return { url: await listenOn(http, config.port, config.host), metricsUrl };
  } catch (error) {
    await metricsListener?.close(); // or it would keep alive a process that cannot serve
    throw error;
  }
}

/** Finishes what is under way, and then lets go of everything. */
async function closeAll(
  { db, presence, redis, nodes, services, stats }: OpenedServices,
  { webhooks, chains, prizes }: RunningServer['queue'],
  { http, requests, gateway, metricsListener }: Transports,
): Promise<void> {
  const deadline = Date.now() + closeTimeoutMs;
  const drained = gateway.drain();
  const backedUp = services.backups.close();
  // What was answered to a launcher on long polling waits for its next poll, over a connection of its own.
  if (gateway.isPolled()) await drained;
  http.close();
  await Promise.all([drained, requests.finished(deadline - Date.now())]);
  await requests.finished(lastRequestsMs);
  http.closeAllConnections(); // what is left hangs
  await Promise.all([backedUp, webhooks.stop(), chains.stop(), prizes.stop(), metricsListener?.close()]);
  await gateway.close();
  stats.close();
  await nodes.close();
  await presence.close();
  redis?.close();
  await Promise.all([services.states.close(), db.close()]);
}
