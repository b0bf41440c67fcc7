import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AdminToken } from '../calls/auth/admin-token.ts';
import { MemoryPresence } from '../cluster/presence/memory-presence.ts';
import type { Presence } from '../cluster/presence/presence.ts';
import { RedisPresence } from '../cluster/presence/redis-presence.ts';
import type { RedisClients } from '../cluster/redis/redis-clients.ts';
import { type Config, dataFiles } from '../config.ts';
import { commandOn } from '../core/command-hint.ts';
import { GantryError } from '../core/errors.ts';
import { Signals } from '../core/events/signals.ts';
import type { WriteTrouble } from '../core/storage/database.ts';
import type { Store } from '../core/storage/store.ts';
import { version } from '../core/version.ts';
import { ChainClients } from '../features/chains/chain-client.ts';
import { Signers } from '../features/chains/signers.ts';
import { readInstallation } from '../features/events/queries.ts';
import { countOpenActions } from '../features/queue/queries.ts';
import { wasAnnouncedPresent } from '../features/sessions/queries.ts';
import { ErrorLog } from '../telemetry/error-log.ts';
import { RecentGameCalls } from '../telemetry/game-calls.ts';
import { type NodeStatus, type Nodes, singleNode } from '../telemetry/nodes.ts';
import { RecentRequests } from '../telemetry/recent-requests.ts';
import { RecentStats } from '../telemetry/recent-stats.ts';
import { RedisNodes } from '../telemetry/redis-nodes.ts';
import { RecentRefusals } from '../telemetry/refusals.ts';
import { StatsHistory } from '../telemetry/stats-history.ts';
import type { Gateway } from '../transports/socket/gateway.ts';
import { buildServices } from './build-services.ts';
import { operations, type Services } from './declarations/operations.ts';
import { describeLowDisk } from './low-disk.ts';
import { databaseFiles, type OpenStore, openStore } from './open-store.ts';

/** The open resources of a running server. */
export interface OpenedServices extends OpenStore {
  logger: Logger;
  errorLog: ErrorLog;
  report(thrown: unknown, callId?: string): void;
  /** Whether it failed because the database is unavailable, which the log says once. */
  isOfOutage(thrown: unknown): boolean;
  adminToken: AdminToken;
  redis: RedisClients | null;
  /** Prefix of this installation's keys in Redis. */
  prefix: string;
  presence: Presence;
  chainClients: ChainClients;
  signers: Signers;
  stats: RecentStats;
  refusals: RecentRefusals;
  requests: RecentRequests;
  gameCalls: RecentGameCalls;
  nodes: Nodes;
  services: Services;
  /** Why no calls can be accepted, because the database is gone; null when they can. */
  unusable(): string | null;
  /** Why writes to the database or Redis currently fail, or will soon; null when they do not. */
  degraded(): string | null;
  /** The same per dependency. */
  dependencies(): Dependencies;
}

/** The state of a server's dependencies. Redis is `none` when it is not configured. */
export interface Dependencies {
  database: 'ready' | 'degraded' | 'unavailable';
  redis: 'ready' | 'unavailable' | 'none';
}

/** Excluded from recent requests: the console polls some every few seconds, which would crowd out everything else. */
const administratorsOperations = new Set<string>(
  operations.filter(({ auth }) => auth === 'admin').map(({ name }) => name),
);

interface Later {
  url(): string;
  gateway(): Gateway;
  background: AbortSignal;
}

/** Opens the store and the services for handlers. `later` may be called once the transports are built and listen. */
export async function openServices(config: Config, logger: Logger, later: Later): Promise<OpenedServices> {
  const store = await openStore(config, 'server', (why) =>
    logger.warn({ why }, 'the database of DATABASE_URL cannot be reached; retrying for up to 5 minutes'),
  );
  try {
    return await openOn(store, config, logger, later);
  } catch (error) {
    await store.db.close().catch(() => {}); // it would keep the process alive; the error says why it ends
    throw error;
  }
}

async function openOn(
  store: OpenStore,
  config: Config,
  logger: Logger,
  later: Later,
): Promise<OpenedServices> {
  const { db, adminTokens } = store;
  if (config.databaseUrl === undefined) warnOfDroppedLogs(config, logger);
  const adminToken = await AdminToken.open(adminTokens, config.adminToken);
  let writeTrouble: WriteTrouble | null = null;
  const isOfOutage = (error: unknown) =>
    writeTrouble !== null && error instanceof GantryError && error.reason === 'store_unavailable';
  const errorLog = new ErrorLog(logger);
  const report = (error: unknown, callId?: string) => {
    if (!isOfOutage(error)) errorLog.add('error', error, 'unhandled error in operation', callId);
  };
  db.onTrouble((trouble) => {
    writeTrouble = trouble;
    if (trouble === null) logger.warn('writes recovered');
    else logger.error(trouble.message);
  });
  const prefix = `gantry:${await db.read(readInstallation)}`;
  const signers = await Signers.open(config.transactions);
  // Nothing may fail from here on: its connections keep the process alive.
  const redis = config.redisUrl === undefined ? null : await openRedis(config.redisUrl, logger);
  const presence = choosePresence(db, redis, prefix, report);
  const chainClients = new ChainClients(config.chains);
  const stats = new RecentStats(
    {
      sockets: () => later.gateway().connectionCount,
      present: () => presence.count(),
      queueDepth: () => db.read(countOpenActions),
      storage: async () => {
        const { databaseBytes, logBytes } = await db.stats();
        return { databaseBytes, logBytes: config.databaseUrl === undefined ? logBytes : null };
      },
    },
    {
      signal: later.background,
      report,
      history: new StatsHistory(join(config.dataDirectory, `stats-history-${config.port}`)),
    },
  );
  const refusals = new RecentRefusals();
  const requests = new RecentRequests(administratorsOperations);
  const gameCalls = new RecentGameCalls();
  const nodes = chooseNodes(redis, prefix, report, { stats, sockets: () => later.gateway().connectionCount });
  const services = buildServices(store, config, {
    presence,
    url: () => later.url(),
    players: {
      visible: (wallet) => later.gateway().friends.visible(wallet),
      isHiding: (wallet) => later.gateway().friends.isHiding(wallet),
      playing: (gameId) => later.gateway().gameStats.statsOf(gameId).playing,
      playingAny: () => later.gateway().gameStats.players,
      liveGames: () => later.gateway().gameStats.liveGames,
    },
    signals: new Signals((signal, nodes) => later.gateway().signal(signal, nodes)),
    stats,
    refusals,
    requests,
    gameCalls,
    nodes,
    chainClients,
    signers,
    reportBackup: (error) => logger.error({ err: error }, 'backup failed'),
  });
  const unusable = () => (writeTrouble?.isUnusable ? writeTrouble.message : null);
  const lowDisk = () => (config.databaseUrl === undefined ? describeLowDisk(config.dataDirectory) : null);
  const degraded = () =>
    [writeTrouble?.message ?? lowDisk(), redis?.trouble()]
      .filter((trouble) => typeof trouble === 'string')
      .join(' ') || null;
  const dependencies = (): Dependencies => ({
    database: writeTrouble === null ? 'ready' : writeTrouble.isUnusable ? 'unavailable' : 'degraded',
    redis: redis === null ? 'none' : redis.trouble() === null ? 'ready' : 'unavailable',
  });
  const chosen = {
    adminToken,
    redis,
    prefix,
    presence,
    chainClients,
    signers,
    stats,
    refusals,
    requests,
    gameCalls,
    nodes,
    services,
  };
  return { ...store, ...chosen, logger, errorLog, report, isOfOutage, unusable, degraded, dependencies };
}

function warnOfDroppedLogs({ dataDirectory }: Config, logger: Logger): void {
  for (const { file, frames } of databaseFiles.droppedLogs(dataFiles(dataDirectory).database)) {
    logger.warn(
      { file, frames },
      `the write-ahead log was damaged: acknowledged writes are lost; see ${commandOn(dataDirectory, 'gantry doctor')}`,
    );
  }
}

/** Imported lazily: a single process needs no Redis, and the client takes a while to load. */
async function openRedis(url: string, logger: Logger): Promise<RedisClients> {
  const { connectRedis } = await import('../cluster/redis/redis-clients.ts');
  return connectRedis(url, logger);
}

function choosePresence(
  db: Store,
  redis: RedisClients | null,
  prefix: string,
  report: (thrown: unknown) => void,
): Presence {
  return redis
    ? new RedisPresence(redis, {
        nodeId: randomUUID(),
        prefix,
        report,
        wasPresent: (sessionId) => db.read(wasAnnouncedPresent, sessionId),
      })
    : new MemoryPresence();
}

function chooseNodes(
  redis: RedisClients | null,
  prefix: string,
  report: (thrown: unknown) => void,
  { stats, sockets }: { stats: RecentStats; sockets(): number },
): Nodes {
  const processInfo = {
    id: randomUUID(),
    host: hostname(),
    pid: process.pid,
    version,
    runtime: process.version,
    startedAt: stats.startedAt,
  };
  const status = (): NodeStatus => ({
    ...processInfo,
    sockets: sockets(),
    requestsPerSecond: stats.samples(0).at(-1)?.requestsPerSecond ?? 0,
    busy: stats.busy,
  });
  return redis ? new RedisNodes(redis, { prefix, status, report }) : singleNode(status);
}
