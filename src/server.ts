import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdapter } from '@socket.io/redis-adapter';
import type { Logger } from 'pino';
import proxyAddr from 'proxy-addr';
import { AdminToken } from './auth/admin-token.ts';
import { Authenticator } from './auth/authenticator.ts';
import { ContractWallets } from './auth/contract-wallets.ts';
import type { SecretBox } from './auth/game-secret.ts';
import { type Config, ConfigError, dataFiles } from './config.ts';
import { leaderboardTop } from './domain/score.ts';
import { Signals } from './events/signals.ts';
import { webhookTypes } from './events/webhook-events.ts';
import { RecentFigures } from './figures/recent-figures.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { Links } from './links.ts';
import { trimRegularly } from './maintenance.ts';
import { CallObserver } from './observability/call-observer.ts';
import { Metrics } from './observability/metrics.ts';
import { openApiDocument } from './openapi/document.ts';
import type { Services } from './operations/define.ts';
import { counted, createExecute } from './operations/execute.ts';
import { operations } from './operations/operations.ts';
import { Registry } from './operations/registry.ts';
import { toLeaderboardEntry } from './operations/scores/to-leaderboard-entry.ts';
import { openAssets } from './pages/open-assets.ts';
import { healPresence } from './presence/heal.ts';
import { MemoryPresence } from './presence/memory-presence.ts';
import type { Presence } from './presence/presence.ts';
import { RedisPresence } from './presence/redis-presence.ts';
import { type QueueFigure, queueFigures } from './queue/queue-figures.ts';
import { connectRedis, type RedisClients } from './redis/redis-clients.ts';
import { ChainClients } from './rules/chain/chain-client.ts';
import { ChainWriter } from './rules/chain/chain-writer.ts';
import type { ChainHooks } from './rules/chain/lane-writer.ts';
import { RuleChains } from './rules/chain/rule-chains.ts';
import { Signers } from './rules/chain/signers.ts';
import { StateReader } from './states/state-reader.ts';
import type { Store } from './store/store.ts';
import { createApp } from './transports/http/app.ts';
import { MetricsListener } from './transports/http/metrics-listener.ts';
import { RequestsUnderWay } from './transports/http/requests-under-way.ts';
import { Gateway } from './transports/socket/gateway.ts';
import { WebhookWorker } from './webhooks/webhook-worker.ts';
import { chooseWebhookSender, openWorkspace } from './workspace.ts';

/** How long a stop takes for the goodbye to the sockets and the requests under way, together. */
const finishWithinMs = 6_500;
/** How long it then waits for the last requests of connections that were open, before it cuts them off. */
const lastRequestsMs = 500;

/** What one socket may send in a second: three times what its session may call. */
const packetsASecond = 1_000;

/** A client that sends its request drop by drop is cut off, and none may send headers without end. */
const headersWithinMs = 10_000;
const bodyWithinMs = 30_000;
/** How often it is looked for them; Node's default would let each have another half minute. */
const lookForSlowEveryMs = 1_000;
const maximumHeaderBytes = 16 * 1024;

export interface RunningServer {
  /** Where it listens, `http://HOST:PORT`. */
  url: string;
  /** Where metrics are served without a token; null: nowhere. */
  metricsUrl: string | null;
  services: Services;
  /** What carries out the durable queue in this process; for metrics. */
  queue: { webhooks: WebhookWorker; chains: ChainWriter; figures(): Promise<QueueFigure[]> };
  box: SecretBox;
  /** The administrators' token, when this start has made it. */
  madeAdminToken: string | null;
  /** Stops taking calls, finishes those under way, and lets go of the data directory. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Puts the parts together: the one place that chooses adapters. Resolves when the server takes calls. */
export async function startServer(
  config: Config,
  logger: Logger,
  hooks: ChainHooks = {},
): Promise<RunningServer> {
  const { store, keys, tokens, box } = openWorkspace(config, 'server');
  const adminToken = new AdminToken(dataFiles(config.dataDirectory).adminTokenHash, config.adminToken);
  await refuseOtherSecretKey(store, box);
  const report = (thrown: unknown, callId?: string) =>
    logger.error({ err: thrown, id: callId }, 'an operation failed by a defect of ours');
  const warn = (thrown: unknown) => logger.warn({ err: thrown }, 'the queue could not go on just now');
  const observer = new CallObserver(logger);
  let storeTrouble: string | null = null;
  store.onTrouble((trouble) => {
    storeTrouble = trouble;
    if (trouble === null) logger.warn('writing to the database works as it should again');
    else logger.error(trouble);
  });
  const redis = config.redisUrl === undefined ? null : connectRedis(config.redisUrl, logger);
  const prefix = `gantry:${await store.events.epoch()}`;
  const presence = choosePresence(redis, prefix, report);
  let url = '';
  const links = new Links(() => config.publicUrl ?? url);
  const signals = new Signals((signal) => gateway.signal(signal));
  const clients = new ChainClients(config.chains);
  const signers = new Signers(config.transactions);
  const figures = new RecentFigures(
    {
      sockets: () => gateway.connections,
      present: () => presence.count(),
      queueDepth: () => store.actions.depth(),
      databaseBytes: async () => {
        const { databaseBytes, logBytes } = await store.diagnostics.sizes();
        return databaseBytes + logBytes;
      },
    },
    { report },
  );
  const services: Services = {
    store,
    presence,
    tokens,
    links,
    signals,
    figures,
    contractWallets: new ContractWallets(config.chains),
    ruleChains: new RuleChains(clients, signers),
    box,
    states: new StateReader(),
    webhookSender: chooseWebhookSender(config),
    sessionLifetimeMs: config.sessionLifetimeMs,
  };
  const authenticator = new Authenticator({ store, tokens, box, adminToken, ownOrigin: () => links.origin });
  const registry = new Registry(operations);
  const limits = new RateLimits(config.rateLimitFactor, redis && { client: redis.commands, prefix });
  const execute = counted(createExecute(authenticator, limits, services), figures);
  const trusted = proxyAddr.compile([...config.trustedProxies]);
  /** Without a proxy that is trusted, whatever `X-Forwarded-For` says is the caller's own invention. */
  const addressOf = (request: IncomingMessage): string =>
    config.trustedProxies.length === 0 ? (request.socket.remoteAddress ?? '') : proxyAddr(request, trusted);
  const webhooks = new WebhookWorker(store, { sender: services.webhookSender, box, report: warn });
  const chains = new ChainWriter(store, {
    clients,
    signers,
    settings: config.transactions,
    report: warn,
    hooks,
  });
  const queue = queueFigures(store.actions, { webhook: webhooks, chain: chains });
  const metrics = new Metrics({
    calls: observer,
    store,
    queue,
    sockets: () => gateway.connectionCount,
    redisUp: () => redis && redis.trouble() === null,
  });
  let closing = false;
  let openApi: ReturnType<typeof openApiDocument> | undefined;

  const app = createApp({
    registry,
    execute,
    observer,
    publicKeys: () => keys.publicKeys,
    addressOf,
    openApi: () => {
      openApi ??= openApiDocument(registry, links.base); // takes a while, and stays as it is
      return openApi;
    },
    notReady: () => (closing ? 'The server is shutting down' : null),
    degraded: () =>
      [storeTrouble, redis?.trouble()].filter((trouble) => typeof trouble === 'string').join(' ') || null,
    pages: {
      assets: openAssets(),
      gameUrls: async () => (await store.games.list()).map(({ url }) => url),
    },
    metrics,
    async requireAdmin(request) {
      const address = addressOf(request);
      await limits.refuseGuessing(address);
      try {
        adminToken.check(request.headers.authorization);
      } catch (refused) {
        await limits.countRefused('read', address, refused);
        throw refused;
      }
    },
    report,
  });
  const http = createServer(
    {
      maxHeaderSize: maximumHeaderBytes,
      headersTimeout: headersWithinMs,
      requestTimeout: bodyWithinMs,
      connectionsCheckingInterval: lookForSlowEveryMs,
    },
    app,
  );
  const underWay = new RequestsUnderWay(http);
  const gateway: Gateway = new Gateway(http, {
    registry,
    execute,
    observer,
    report,
    authenticator,
    tokens,
    limits,
    store,
    presence,
    leaderboardTop: (gameId) => leaderboardRows(store, links, gameId),
    addressOf,
    packetsASecond: Math.max(1, packetsASecond * config.rateLimitFactor),
    onFlood: () => {
      metrics.cut('flood');
      logger.warn('closed a socket that sent too much at once');
    },
    onSlowReader: (queuedBytes) => {
      metrics.cut('slow-reader');
      logger.warn({ queuedBytes }, 'closed a socket that does not read');
    },
    ...(redis && { adapter: createAdapter(redis.commands, redis.subscriber, { key: prefix }) }),
  });
  await gateway.start();
  redis?.onReady(() => gateway.catchUp());
  const stopHealing = healPresence({ sessions: store.sessions, presence, report });
  store.onCommit((events) => {
    figures.countEvents(events.length);
    if (events.some(({ name }) => name in webhookTypes)) webhooks.wake();
    if (events.some(({ name }) => name === 'rule-actions patched')) chains.wake();
  });
  webhooks.start();
  chains.start();
  const stopTrimming = trimRegularly(store, config.retention, report);

  const ownPort = config.metrics && new MetricsListener(metrics, report);
  const metricsUrl =
    config.metrics && ownPort
      ? `${addressAt(config.metrics.host, await ownPort.listen(config.metrics.port, config.metrics.host))}/metrics`
      : null;
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(config.port, config.host, resolve);
  }).catch(async (error: unknown) => {
    await ownPort?.close(); // or it would keep alive a process that cannot serve
    throw error;
  });
  const { port } = http.address() as AddressInfo;
  url = addressAt(config.host, port);

  async function close(): Promise<void> {
    if (closing) return;
    closing = true;
    figures.close();
    stopTrimming();
    stopHealing();
    const deadline = Date.now() + finishWithinMs;
    const goodbye = gateway.sayGoodbye();
    // What was answered to a launcher on long polling waits for its next poll, over a connection of its own.
    if (gateway.isPolled()) await goodbye;
    http.close();
    await Promise.all([goodbye, underWay.finished(deadline - Date.now())]);
    await underWay.finished(lastRequestsMs);
    http.closeAllConnections(); // whoever is left is hanging
    await Promise.all([webhooks.stop(), chains.stop(), ownPort?.close()]);
    await gateway.close();
    await presence.close();
    redis?.close();
    await Promise.all([services.states.close(), store.close()]);
  }
  return {
    url,
    metricsUrl,
    services,
    queue: { webhooks, chains, figures: queue },
    box,
    madeAdminToken: adminToken.made,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function addressAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Finds out at once that the key is another one than game secrets were encrypted with, rather than at the
 * first signed request.
 * @throws ConfigError
 */
async function refuseOtherSecretKey(store: Store, box: SecretBox): Promise<void> {
  const [game] = await store.games.list();
  const [secret] = game ? await store.games.sealedSecrets(game.id) : [];
  if (!secret) return;
  try {
    box.open(secret.sealedMd5);
  } catch {
    throw new ConfigError(
      'GANTRY_SECRET_KEY, or secret.key in the data directory, is not the key that the game secrets in the ' +
        'database were encrypted with. Set the key they were, or put the file back.',
    );
  }
}

function choosePresence(
  redis: RedisClients | null,
  prefix: string,
  report: (thrown: unknown) => void,
): Presence {
  return redis
    ? new RedisPresence(redis.commands, { nodeId: randomUUID(), prefix, report })
    : new MemoryPresence();
}

async function leaderboardRows(store: Store, links: Links, gameId: string) {
  const rows = await store.scores.leaderboard(gameId, { limit: leaderboardTop, skip: 0 });
  return rows.map((row, index) => ({ ...toLeaderboardEntry(row, links), position: index + 1 }));
}
