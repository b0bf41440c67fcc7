import { randomUUID } from 'node:crypto';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { AdminCredentials } from '../calls/auth/admin-credentials.ts';
import { bearerToken } from '../calls/auth/admin-token.ts';
import { Authenticator } from '../calls/auth/authenticator.ts';
import { ConsoleSignIns } from '../calls/auth/console-sign-ins.ts';
import { createExecute } from '../calls/execute.ts';
import { type LimitState, RateLimits } from '../calls/limits/rate-limits.ts';
import { Traffic } from '../calls/limits/traffic.ts';
import { withTextRules } from '../calls/parse-input.ts';
import type { Config } from '../config.ts';
import { GantryError } from '../core/errors.ts';
import type { PublicUrls } from '../core/public-urls.ts';
import type { Store } from '../core/storage/store.ts';
import { auditLogOf } from '../features/administration/audit-log.ts';
import { allGames, findGame } from '../features/games/queries.ts';
import { Registry } from '../features/operation.ts';
import { rankedPageOf, requireBoard } from '../features/scores/boards.ts';
import { toPlacedRows } from '../features/scores/operations/leaderboard-scores.ts';
import { leaderboardTop } from '../features/scores/score.ts';
import { issueToken } from '../features/sessions/new-session.ts';
import { gameStorages } from '../features/storage-quota/game-storage.ts';
import { openAssets } from '../pages/open-assets.ts';
import { SdkArchives } from '../pages/sdk-archives.ts';
import { ServedFile } from '../pages/served-file.ts';
import { ConcurrencyLimiter } from '../runtime/concurrency-limiter.ts';
import { CallLines } from '../telemetry/call-lines.ts';
import { CallCounts, CallObserver } from '../telemetry/call-observer.ts';
import { IgnoredFieldLog } from '../telemetry/ignored-field-log.ts';
import type { QueueStats } from '../telemetry/metric-sources.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { RefusalLog } from '../telemetry/refusal-log.ts';
import type { Refusal } from '../telemetry/refusals.ts';
import { createApp } from '../transports/http/app.ts';
import { maxBodyBytes } from '../transports/http/bodies.ts';
import { clientAddress, isTrustedProxy } from '../transports/http/client-address.ts';
import { createHttpServer } from '../transports/http/http-server.ts';
import { InFlightRequests } from '../transports/http/in-flight-requests.ts';
import { limitConnections } from '../transports/http/limit-connections.ts';
import { metricsServer } from '../transports/http/metrics-listener.ts';
import { openApiDocument } from '../transports/openapi/document.ts';
import { Gateway } from '../transports/socket/gateway.ts';
import { runAll, runAsGuest, runOnce, runUnlessMuted } from './declarations/commands.ts';
import { operations, operationTopics } from './declarations/operations.ts';
import { statusInHandshake } from './handshake-status.ts';
import { freeBytesAt } from './low-disk.ts';
import type { OpenedServices } from './open-services.ts';

/** Maximum packets per second and socket: three times the call limit of a session. */
export const packetsPerSecond = 1_000;
/** In characters and bytes: four of the largest packets. */
export const lengthPerSecond = 8 * 1024 * 1024;

/** Maximum number of large socket calls that are parsed concurrently, in a thread. */
const maxConcurrentLargeCalls = 4;

export interface Transports {
  http: HttpServer;
  requests: InFlightRequests;
  gateway: Gateway;
  /** Null when metrics have no separate port. */
  metricsServer: HttpServer | null;
  refusalLog: RefusalLog;
  consoleSignIns: ConsoleSignIns;
}

/** Builds the transports: HTTP, the socket gateway, and a separate port for metrics. */
export function buildTransports(
  config: Config,
  opened: OpenedServices,
  queue: { stats(): Promise<QueueStats[]> },
  isClosing: () => boolean,
): Transports {
  const {
    db,
    keys,
    tokens,
    box,
    adminToken,
    redis,
    prefix,
    presence,
    services,
    stats,
    refusals,
    requests: recentRequests,
    gameCalls,
    logger,
    report,
  } = opened;
  const { publicUrls } = services;
  const consoleSignIns = new ConsoleSignIns();
  const administrators = new AdminCredentials(adminToken, db, consoleSignIns);
  const authenticator = new Authenticator({
    db,
    tokens,
    box,
    administrators,
    ownOrigin: () => publicUrls.origin,
  });
  const registry = new Registry(operations.map((operation) => withTextRules(operation, runUnlessMuted)));
  const limits = new RateLimits(
    config.rateLimitFactor,
    redis && ((name) => redis.counts(`${prefix}:limit:${name}`, () => gateway.friends.nodes)),
  );
  const traffic = new Traffic({ factor: config.rateLimitFactor, heldBytes: config.heldBytes }, (what) =>
    metrics.countRefused(what),
  );
  const ignoredFields = new IgnoredFieldLog(logger);
  /** By path. */
  const deprecatedUses = new Set<string>();
  const execute = createExecute(authenticator, limits, {
    services,
    audit: auditLogOf(db),
    runOnce,
    runAsGuest,
    runAll,
    refuseInMaintenance: (game, named) => services.maintenance.refuse(game, named),
    find: (name) => registry.method('launcher', name),
    onIgnoredField: (ignored) => ignoredFields.add(ignored),
  });
  const callCounts = new CallCounts();
  const refusalLog = new RefusalLog(logger);
  const lines = new CallLines(logger, refusalLog);
  const observer = new CallObserver(
    (call) => callCounts.add(call),
    (call) => stats.countCall(call),
    (call) => recentRequests.add(call),
    (call) => gameCalls.add(call),
    (call) => {
      if (call.outcome === 'ok' || call.outcome === 'aborted' || call.outcome === 'internal') return;
      const { outcome: reason, ...refused } = call;
      refusals.add({ ...refused, reason, at: 'call' });
    },
    (call) => lines.write(call),
  );
  const addressOf = clientAddress(config.trustedProxies);
  const metrics = new Metrics({
    calls: callCounts,
    db,
    queue: queue.stats,
    async storageUsed() {
      const storages = await db.read(gameStorages, config.gameStorageQuota);
      return storages.reduce((most, { bytes, quota }) => Math.max(most, bytes / quota), 0);
    },
    diskFree: async () => (config.databaseUrl === undefined ? freeBytesAt(config.dataDirectory) : null),
    sockets: () => gateway.connectionCount,
    presence: () => gateway.friends.counts(),
    heldBytes: () => traffic.heldBytes,
    refusals,
    nodes: () => gateway.friends.nodes,
    received: () => gateway.feed.received,
    redis: () => redis && { isUp: redis.trouble() === null, commands: redis.commandsSent() },
  });
  /** Checks the token of a request, unless its address has sent too many wrong ones. */
  async function unlessGuessing<Result>(
    request: IncomingMessage,
    check: (authorization: string | undefined) => Result | Promise<Result>,
    onLimit?: (state: LimitState) => void,
  ): Promise<Result> {
    const address = addressOf(request);
    const { authorization } = request.headers;
    const hasNoToken = bearerToken(authorization) === null;
    if (!hasNoToken) await limits.refuseGuessing(address, onLimit);
    try {
      return await check(authorization);
    } catch (refused) {
      await limits.countRefused('read', address, hasNoToken ? null : refused, onLimit);
      throw refused;
    }
  }
  let openApi: ServedFile | undefined;
  const app = createApp({
    registry,
    execute,
    observer,
    publicKeys: () => keys.publicKeys(),
    onDeprecated(used) {
      if (deprecatedUses.has(used.path)) return;
      deprecatedUses.add(used.path);
      logger.warn(used, 'a call uses a deprecated name of its operation');
    },
    addressOf,
    limits,
    traffic,
    readLarge: (bytes) => services.states.readInput(bytes),
    openApi: () => {
      // Built once on first use: it takes a while and does not change.
      openApi ??= new ServedFile(
        'openapi.json',
        Buffer.from(JSON.stringify(openApiDocument(registry, operationTopics, publicUrls.base))),
      );
      return openApi;
    },
    notReady: () => (isClosing() ? 'The server is shutting down' : opened.unusable()),
    degraded: opened.degraded,
    dependencies: opened.dependencies,
    openBackup: async (link, options) => services.backups?.open(link, options) ?? null,
    pages: {
      assets: new SdkArchives(openAssets()),
      games: async () => (await db.read(allGames)).filter(({ listing }) => listing !== 'archived'),
    },
    metrics,
    async requireAdmin(request, onLimit) {
      await unlessGuessing(request, (authorization) => administrators.check(authorization), onLimit);
    },
    signInToConsole: (request) =>
      unlessGuessing(request, (authorization) => administrators.signInToConsole(authorization)),
    report,
  });
  const http = createHttpServer(app, config.keepAliveMs);
  const onRefused = (refusal: Refusal) => {
    const { reason } = refusal;
    refusals.add(refusal);
    if (reason === 'flood' || reason === 'slow-reader') metrics.countDisconnect(reason);
    refusalLog.add(refusal);
  };
  limitConnections(http, {
    // Room for calls beside the live connections, which have a limit with an answer.
    most: 2 * config.connectionsPerAddress,
    isProxy: isTrustedProxy(config.trustedProxies),
    onRefused: (address) => onRefused({ reason: 'flood', at: 'connection', address }),
  });
  const nodeId = randomUUID();
  const connections = redis?.nodeConnections(prefix, nodeId);
  const gateway: Gateway = new Gateway(http, {
    registry,
    execute,
    observer,
    report,
    authenticator,
    tokens,
    issueToken: (details) => issueToken(details, services),
    statusOf: (details, status) => statusInHandshake(registry, services, details, status),
    nodeId,
    isBusUp: () => redis?.trouble() === null,
    isBusAnswering: async () => (await redis?.isAnswering()) ?? false,
    closedAmong: async (nodeIds) => connections?.closedAmong(nodeIds) ?? [],
    limits,
    traffic,
    db,
    presence,
    leaderboardTop: (gameId, leaderboard) => topOf(db, publicUrls, gameId, leaderboard),
    addressOf,
    connectionsPerAddress: config.connectionsPerAddress,
    packetsPerSecond: Math.max(1, packetsPerSecond * config.rateLimitFactor),
    lengthPerSecond: Math.max(maxBodyBytes, lengthPerSecond * config.rateLimitFactor),
    readLargeCall: (args) => services.states.readCall(args),
    largeCalls: new ConcurrencyLimiter(maxConcurrentLargeCalls),
    onRefused,
    ...(redis && { adapter: redis.socketAdapter(prefix), eventChannel: redis.channel(`${prefix}:events`) }),
  });
  const requests = new InFlightRequests(http, (request) =>
    onRefused({ reason: 'flood', at: 'connection', address: addressOf(request) }),
  );
  const separate = config.metrics ? metricsServer(metrics, report) : null;
  return { http, requests, gateway, metricsServer: separate, refusalLog, consoleSignIns };
}

/** The first rows of a leaderboard; none when it is not public or has been removed. */
async function topOf(db: Store, publicUrls: PublicUrls, gameId: string, leaderboard: string) {
  const game = await db.read(findGame, gameId);
  if (!game) return [];
  const board = await requireBoard(db, game, { leaderboard }, { isPublic: true }).catch((thrown: unknown) => {
    if (thrown instanceof GantryError) return null;
    throw thrown;
  });
  if (!board) return [];
  return toPlacedRows(await rankedPageOf(db, board, { limit: leaderboardTop, skip: 0 }), publicUrls);
}
