import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../support/postgres-server.ts';
import type { TestRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { readExposition } from '../telemetry/exposition.ts';
import { HttpLoad } from './load.ts';
import type { HttpRequest } from './loads/jobs.ts';
import { useOf, useOfAll } from './process-use.ts';
import { quantile } from './rounds.ts';
import { type ServerProcess, startGantry } from './server-process.ts';
import { redisUse } from './start-redis.ts';
import type { World, WorldPlayer } from './world.ts';

const adminToken = 'benchmark-of-nodes-admin-token';
/**
 * Rate limits are counted, and refuse nobody: calls come from an address for each player, and the benchmark's players
 * stay as far below their limits as four times as many would without the factor.
 */
const limits = { RATE_LIMIT_FACTOR: '4', TRUST_PROXY: 'loopback', ADMIN_TOKEN: adminToken };
/** The calls in flight at the end, which nobody waits for, are executed within this time and counted too. */
const settleMs = 100;
/** Requests that a connection sends, cyclically, at least. */
const scriptLength = 24;

/** What a call costs, and how fast it is. Times are in microseconds of CPU time a call, unless they say otherwise. */
export interface CallCost extends Record<string, number> {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** All nodes together, with all their threads. */
  node: number;
  /** All its processes. */
  postgres: number;
  redis: number;
  /** All of them. */
  total: number;
  /** Commands that nodes sent to Redis, a call; and scripts among them. */
  redisCommands: number;
  redisScripts: number;
  writesPerTransaction: number;
}

/** What a player sends; called anew for each connection. */
export type RequestsOf = (player: WorldPlayer) => HttpRequest[];

/** A node, and the world whose players call it. */
export interface Target {
  node: ServerProcess;
  world: Pick<World, 'players'>;
}

/** Starts a node of a world; with Redis, unless that is null. */
export async function startNode(
  world: World,
  redis: TestRedis | null,
  settings: { cpuProfiles: string | undefined },
): Promise<Target> {
  const node = await startGantry(world, settings, [], { ...limits, ...(redis && { REDIS_URL: redis.url }) });
  return { node, world };
}

/** Waits until each of these nodes knows the others. */
export async function acquainted(targets: readonly Target[]): Promise<void> {
  await until('the nodes know each other', async () => {
    const known = await Promise.all(targets.map(async ({ node }) => (await metricsOf(node))('gantry_nodes')));
    return known.every((count) => count === targets.length);
  });
}

/**
 * Every player calls every target of its world once, so that a node that more players call does not check tokens and
 * read sessions for the first time while it is measured.
 */
export async function introduce(targets: readonly Target[], requestsOf: RequestsOf): Promise<void> {
  const callAll = async ({ node, world }: Target) => {
    const players = world.players.values();
    const connection = async () => {
      for (const player of players) {
        const [request] = requestsOf(player);
        if (!request) throw new Error('there is nothing to call');
        const { method, path, headers, body } = from(player, request);
        const response = await fetch(`${node.url}${path}`, { method, headers, body });
        if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: 32 }, connection));
  };
  await Promise.all(targets.map(callAll));
}

/** The sums of a node's metrics by name, with all labels. */
export async function metricsOf({ url }: ServerProcess): Promise<(name: string) => number> {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${adminToken}` } });
  const samples = readExposition(await response.text());
  return (name) => samples.reduce((sum, one) => sum + (one.name === name ? one.value : 0), 0);
}

/** Processes that send calls to nodes; as many for one node as for several, so that they cost the same. */
export class NodesLoad implements AsyncDisposable {
  readonly #processes: readonly HttpLoad[];

  constructor(processes: number) {
    this.#processes = Array.from({ length: processes }, () => new HttpLoad());
  }

  /** Calls the targets in equal parts, with this many calls in flight together, and measures everything behind them. */
  async cost(
    targets: readonly Target[],
    { postgres, redis }: { postgres: PostgresServer | null; redis: TestRedis | null },
    { inFlight, seconds, requestsOf }: { inFlight: number; seconds: number; requestsOf: RequestsOf },
  ): Promise<CallCost> {
    const connections = inFlight / this.#processes.length;
    const jobs = this.#processes.map((process, at) => {
      const target = targets[at % targets.length];
      if (!target) throw new Error('there is no node to call');
      const { node, world } = target;
      const scripts = Array.from({ length: connections }, () => scriptOf(world.players, requestsOf));
      return () => process.timed({ url: node.url, connections, seconds, scripts });
    });
    const nodes = targets.map(({ node }) => node);
    const use = async () => ({
      node: nodes.reduce((sum, { child }) => sum + (useOf(child.pid)?.cpuSeconds ?? Number.NaN), 0),
      postgres: postgres?.pid === undefined ? 0 : (useOfAll(postgres.pid)?.cpuSeconds ?? Number.NaN),
      ...(redis ? await redisUse(redis) : { cpuSeconds: 0, scripts: 0 }),
    });
    const counts = async () => {
      const each = await Promise.all(nodes.map(metricsOf));
      const sumOf = (name: string) => each.reduce((sum, metric) => sum + metric(name), 0);
      return {
        calls: sumOf('gantry_calls_total'),
        writes: sumOf('gantry_write_batch_size_sum'),
        transactions: sumOf('gantry_write_batch_size_count'),
        redisCommands: sumOf('gantry_redis_commands_total'),
      };
    };
    const countsBefore = await counts();
    const before = await use();
    const done = await Promise.all(jobs.map((job) => job()));
    await delay(settleMs);
    const after = await use();
    const countsAfter = await counts();
    const calls = countsAfter.calls - countsBefore.calls;
    const latencies = done.flatMap((one) => [...one.latencies]);
    const micros = (name: 'node' | 'postgres' | 'cpuSeconds') => ((after[name] - before[name]) * 1e6) / calls;
    const [node, ofPostgres, ofRedis] = [micros('node'), micros('postgres'), micros('cpuSeconds')];
    const transactions = countsAfter.transactions - countsBefore.transactions;
    return {
      perSecond: done.reduce((sum, { perSecond }) => sum + perSecond, 0),
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      node,
      postgres: ofPostgres,
      redis: ofRedis,
      total: node + ofPostgres + ofRedis,
      redisCommands: (countsAfter.redisCommands - countsBefore.redisCommands) / calls,
      redisScripts: (after.scripts - before.scripts) / calls,
      writesPerTransaction: (countsAfter.writes - countsBefore.writes) / transactions,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((process) => process[Symbol.asyncDispose]()));
  }
}

/** Requests of random players, each from an address of its own. */
function scriptOf(players: readonly WorldPlayer[], requestsOf: RequestsOf): HttpRequest[] {
  const script: HttpRequest[] = [];
  while (script.length < scriptLength) {
    const player = players[Math.floor(Math.random() * players.length)];
    if (!player) throw new Error('a world without players');
    for (const request of requestsOf(player)) script.push(from(player, request));
  }
  return script;
}

function from(player: WorldPlayer, request: HttpRequest): HttpRequest {
  return { ...request, headers: { ...request.headers, 'x-forwarded-for': addressOf(player) } };
}

function addressOf({ wallet }: WorldPlayer): string {
  return `10.${[2, 4, 6].map((at) => Number.parseInt(wallet.slice(at, at + 2), 16)).join('.')}`;
}
