import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../core/storage/database.ts';
import { startErasureSweeps } from '../features/administration/erasure-sweeps.ts';
import { startEventAnnouncements } from '../features/calendar/event-announcements.ts';
import { ChainWriter } from '../features/chains/chain-writer.ts';
import type { ChainHooks } from '../features/chains/lane.ts';
import type { SecretBox } from '../features/games/game-secret.ts';
import { maintenanceWorkerName } from '../features/maintenance/commands.ts';
import { newsWorkerName } from '../features/news/commands.ts';
import { NewsFeed } from '../features/news/news-feed.ts';
import { queueStats } from '../features/queue/queue-stats.ts';
import { PrizeWorker } from '../features/rules/prizes/prize-worker.ts';
import { startSeasonEnds } from '../features/scores/season-ends.ts';
import { prizeWorkerName } from '../features/scores/season-prizes.ts';
import { WebhookWorker } from '../features/webhooks/webhook-worker.ts';
import type { QueueStats } from '../telemetry/metric-sources.ts';
import { listenOn } from '../transports/http/http-server.ts';
import { reconcilePresence } from '../transports/live/reconcile-presence.ts';
import { startBackupSchedule } from './backup/backup-schedule.ts';
import { buildTransports, type Transports } from './build-transports.ts';
import { removeIdleGuests } from './declarations/commands.ts';
import type { Services } from './declarations/operations.ts';
import { watchForLostWrites } from './lost-writes.ts';
import { type OpenedServices, openServices } from './open-services.ts';
import { startRetention } from './retention.ts';
import {
  otherServers,
  removeServerAddress,
  serversWithoutRedis,
  writeServerAddress,
} from './server-address.ts';

/** Shutdown timeout for draining the sockets and finishing the requests in flight. */
const closeTimeoutMs = 6_500;
/** Further timeout for the last requests on open connections, before they are closed. */
const lastRequestsMs = 500;

export interface RunningServer {
  /** The address it listens on, `http://HOST:PORT`. */
  url: string;
  /** The URL of the metrics without a token; null when there is none. */
  metricsUrl: string | null;
  db: Database;
  services: Services;
  /** The workers of the durable queue in this process. */
  queue: {
    webhooks: WebhookWorker;
    chains: ChainWriter;
    prizes: PrizeWorker;
    stats(): Promise<QueueStats[]>;
  };
  box: SecretBox;
  /** The admin token, if it was created by this start. */
  createdAdminToken: string | null;
  /** A new code for `/console#sign-in=<code>`; see `ConsoleSignIns`. */
  newConsoleCode(): string;
  /** Stops accepting calls, finishes those in flight, and releases the data directory. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server. Resolves when it accepts calls. */
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
  const stop = () => {
    background.abort();
    closed ??= closeAll(opened, queue, transports);
    return closed;
  };
  let listening: Awaited<ReturnType<typeof listen>>;
  try {
    await startBackgroundWork(config, opened, queue, transports, background.signal);
    listening = await listen(config, transports);
  } catch (error) {
    await stop().catch(() => {}); // what was started would keep the process alive; the error says why it ends
    throw error;
  }
  url = listening.url;
  writeServerAddress(config.dataDirectory, url);
  await warnOfOtherServers(config, logger);
  const close = () => {
    removeServerAddress(config.dataDirectory);
    return stop();
  };
  return {
    ...listening,
    db: opened.db,
    services: opened.services,
    queue,
    box: opened.box,
    createdAdminToken: opened.adminToken.made,
    newConsoleCode: () => transports.consoleSignIns.newCode(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Without Redis, servers on one data directory run, but miss parts of each other. PostgreSQL refuses a second one. */
async function warnOfOtherServers(
  { databaseUrl, redisUrl, dataDirectory }: Config,
  logger: Logger,
): Promise<void> {
  if (databaseUrl !== undefined || redisUrl !== undefined) return;
  const [other] = await otherServers(dataDirectory);
  if (other === undefined) return;
  const { lacks, remedy } = serversWithoutRedis;
  logger.warn(
    `${other} is a server on the same data directory, and REDIS_URL is not set. ${lacks} ${remedy}`,
  );
}

/** Creates the workers of the durable queue. */
function openQueue(config: Config, opened: OpenedServices, hooks: ChainHooks): RunningServer['queue'] {
  const { db, box, errorLog, services, chainClients, signers, isOfOutage } = opened;
  const report = (error: unknown) => {
    if (!isOfOutage(error)) errorLog.add('warn', error, 'queue worker failed, retrying');
  };
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

/** Starts background work, which runs until the signal is aborted or its worker is stopped. */
async function startBackgroundWork(
  { retention, notificationMs, idempotencyKeyMs, sessionMs, guests }: Config,
  { db, logger, presence, redis, stats, services, report }: OpenedServices,
  { webhooks, chains, prizes }: RunningServer['queue'],
  { gateway }: Transports,
  signal: AbortSignal,
): Promise<void> {
  redis?.onReady(() => {
    gateway.feed.reconnected();
    gateway.catchUp();
  });
  watchForLostWrites(db, logger, signal);
  reconcilePresence(db, presence, { signal, report });
  db.onCommit((events) => {
    stats.countEvents(events.length);
  });
  const news = new NewsFeed(db, services.signals);
  db.onWake((workers) => {
    if (workers.includes('webhook')) webhooks.wake();
    if (workers.includes('chain')) chains.wake();
    if (workers.includes(prizeWorkerName)) prizes.wake();
    if (workers.includes(maintenanceWorkerName)) services.maintenance.announce().catch(report);
    if (workers.includes(newsWorkerName)) news.announce().catch(report);
  });
  webhooks.start();
  chains.start();
  prizes.start();
  if (services.backups) startBackupSchedule(db, services.backups, { signal, report });
  await services.maintenance.start({ signal, report });
  startSeasonEnds(db, { signal, report });
  startEventAnnouncements(db, { signal, report });
  await news.start({ signal, report });
  startErasureSweeps(db, services.tables, { signal, report });
  startRetention(
    db,
    {
      ...retention,
      notificationMs,
      idempotencyKeyMs,
      sessionMs,
      guestIdleMs: guests.idleMs,
      removeIdleGuests,
    },
    { signal, report },
  );
}

async function listen(
  config: Config,
  { http, metricsServer }: Transports,
): Promise<Pick<RunningServer, 'url' | 'metricsUrl'>> {
  const { metrics } = config;
  const separate =
    metrics && metricsServer ? await listenOn(metricsServer, metrics.port, metrics.host) : null;
  return {
    url: await listenOn(http, config.port, config.host),
    metricsUrl: separate && `${separate}/metrics`,
  };
}

/** Finishes work in flight, then closes everything. */
async function closeAll(
  { db, errorLog, presence, redis, nodes, services, stats }: OpenedServices,
  { webhooks, chains, prizes }: RunningServer['queue'],
  { http, requests, gateway, metricsServer, refusalLog }: Transports,
): Promise<void> {
  const deadline = Date.now() + closeTimeoutMs;
  const drained = gateway.drain();
  const backedUp = services.backups?.close();
  // Responses to launchers on long polling wait for their next poll, which may need a new connection.
  if (gateway.isPolled()) await drained;
  http.close();
  await Promise.all([drained, requests.finished(deadline - Date.now())]);
  await requests.finished(lastRequestsMs);
  http.closeAllConnections(); // the remaining ones hang
  const scraped = metricsServer && once(metricsServer.close(), 'close');
  metricsServer?.closeAllConnections();
  await Promise.all([backedUp, webhooks.stop(), chains.stop(), prizes.stop(), scraped]);
  await gateway.close();
  refusalLog.flush();
  stats.close();
  await nodes.close();
  await presence.close();
  redis?.close();
  await Promise.all([services.states.close(), db.close()]);
  errorLog.flush();
}
