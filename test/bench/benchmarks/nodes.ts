import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../src/core/storage/database.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { TestRedis } from '../../support/redis.ts';
import type { Benchmark, Row, Settings } from '../benchmark.ts';
import { createDatabase } from '../create-database.ts';
import {
  acquainted,
  type CallCost,
  introduce,
  metricsOf,
  NodesLoad,
  type RequestsOf,
  startNode,
  type Target,
} from '../deployment.ts';
import { jsonPost } from '../json-post.ts';
import { mixedRequests } from '../mixed-requests.ts';
import { useOf } from '../process-use.ts';
import { interleave, median, toRow } from '../rounds.ts';
import { startPostgres } from '../start-postgres.ts';
import { startBenchRedis } from '../start-redis.ts';
import { makeWorld, type World, type WorldPlayer } from '../world.ts';

const nodeCount = 3;
/** Of one installation; of three unrelated ones together as many. */
const playerCount = 900;
const membersOfChannel = 4;
const concurrencies = [48, 288];
/** What every side of every round takes; a whole run takes some seven minutes by default. */
const sideSeconds = ({ loadSeconds }: Settings) => loadSeconds / 20;
/** A limit of ratios to another deployment. */
const limits = { ofControl: 1.1, ofWithoutRedis: 1.15 };
/** Limits of absolute figures: commands to Redis a call, and CPU time of an idle node an event, in microseconds. */
const redisCommandsACall = 0.1;
const idleMicroseconds = 2;

/** The requests of each load, of which `BENCH_LOADS=scores` selects one; `channels` are those of all worlds, by member. */
function loadsOf(channels: ReadonlyMap<string, string>) {
  const post = (path: string, { launcherJwt }: WorldPlayer, input: object) =>
    jsonPost(`/launcher/${path}`, { launcherJwt, ...input });
  const score: RequestsOf = (player) => [
    post('set-user-score', player, { score: Math.floor(Math.random() * 10_000) }),
  ];
  const message: RequestsOf = (player) => [
    post('send-channel-message', player, {
      channelId: channels.get(player.wallet),
      content: 'A message of typical length. '.repeat(4),
    }),
  ];
  const activity: RequestsOf = (player) => [
    post('send-custom-activity', player, { label: '{username} found a key', eventId: 'key' }),
  ];
  return {
    scores: score,
    'channel messages': message,
    'activities of one game': activity,
    mix: (player) => [...mixedRequests(player), ...message(player)],
  } satisfies Record<string, RequestsOf>;
}

export const nodes: Benchmark = {
  name: 'nodes',
  summary:
    'one and three nodes against three unrelated installations, of one and of two nodes; REDIS_URL; an idle node: CPU time of everything a call',
  async run({ rounds, ...others }) {
    return [
      ...(await severalNodes({ ...others, rounds: Math.min(rounds, 3) })),
      // More rounds, because the difference is small and V8 recompiles code at times, for as long as one side takes.
      ...(await redisOnOneProcess({ ...others, rounds: 2 * rounds - 1 })),
    ];
  },
};

/**
 * One node, three nodes and three installations, on one PostgreSQL, each with a Redis of its own. The three nodes are
 * measured with calls of any player to any node, and with each player's calls to one node, as a proxy can send them.
 * A node that is the only one of its installation relies on what it has read, which no node can do that has others
 * beside it, so there are two controls: three installations of one node, and three of two, one of which is not called.
 */
async function severalNodes(settings: Settings): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startPostgres());
  const channels = new Map<string, string>();
  const installation = async (name: string, players: number) => {
    const variables = await newDatabase(postgres, name);
    return stack.use(await makeWorld(players, (db, world) => openChannels(db, world, channels), variables));
  };
  const start = async (redis: TestRedis, worlds: readonly World[]) =>
    Promise.all(worlds.map(async (world) => stopping(stack, await startNode(world, redis, settings))));
  const deploy = async (worlds: readonly World[]) => {
    const redis = stack.use(await startBenchRedis());
    return { redis, postgres, targets: await start(redis, worlds) };
  };
  settings.say('nodes: starting one node, three nodes, and the installations of the controls');
  const alone = await installation('alone', playerCount);
  const shared = await installation('shared', playerCount);
  const unrelated = async (name: string) => {
    const worlds: World[] = [];
    for (let at = 0; at < nodeCount; at++) {
      worlds.push(await installation(`${name}_${at}`, playerCount / nodeCount));
    }
    return worlds;
  };
  const one = await deploy([alone]);
  const three = await deploy(Array.from({ length: nodeCount }, () => shared));
  const control = await deploy(await unrelated('single'));
  const worldsOfTwo = await unrelated('double');
  const controlOfTwo = await deploy(worldsOfTwo);
  await start(controlOfTwo.redis, worldsOfTwo);
  const byPlayer = {
    ...three,
    targets: three.targets.map(({ node, world }, at) => ({
      node,
      world: { players: world.players.filter((_, index) => index % nodeCount === at) },
    })),
  };
  await acquainted(three.targets);

  const load = stack.use(new NodesLoad(nodeCount));
  const loads = loadsOf(channels);
  const seconds = sideSeconds(settings);
  const deployments = { one, three, control, controlOfTwo };
  settings.say('nodes: warming up');
  for (const { targets } of Object.values(deployments)) await introduce(targets, loads.scores);
  for (const behind of Object.values(deployments)) {
    // Until V8 has compiled what each of three nodes executes, which gets a third of the calls.
    const job = { inFlight: 288, seconds: seconds * 12, requestsOf: loads.mix };
    await load.cost(behind.targets, behind, job);
  }
  const rows: Row[] = [];
  for (const [name, requestsOf] of Object.entries(loads)) {
    if (!name.startsWith(process.env.BENCH_LOADS ?? '')) continue;
    for (const inFlight of concurrencies) {
      const variant = `${name}, ${inFlight} in flight`;
      const side =
        ({ targets, ...behind }: typeof one) =>
        () =>
          load.cost(targets, behind, { inFlight, seconds, requestsOf });
      const sides = {
        one: side(one),
        three: side(three),
        byPlayer: side(byPlayer),
        control: side(control),
        controlOfTwo: side(controlOfTwo),
      };
      const taken = await interleave({ name: 'nodes', variant }, sides, settings);
      tell(settings, variant, {
        'one node': taken.one,
        'three nodes': taken.three,
        'three nodes by player': taken.byPlayer,
        control: taken.control,
        'control of two nodes each': taken.controlOfTwo,
      });
      const ofControl = (what: string, ours: readonly CallCost[], aim: string) =>
        costRow(`${variant}, ${what} of control`, aim, ours, taken.control);
      const aim = `≤ ${limits.ofControl}`;
      rows.push(
        ofControl('three nodes', taken.three, aim),
        costRow(`${variant}, three nodes of control of two each`, aim, taken.three, taken.controlOfTwo),
        ofControl('three nodes by player', taken.byPlayer, aim),
        ofControl('one node', taken.one, ''),
        toRow(
          { name: 'nodes', variant: `${variant}, Redis`, unit: 'commands/call', aim: '≤ 1' },
          taken.three.map(({ redisCommands }) => redisCommands),
          taken.three.map(() => redisCommandsACall),
        ),
      );
    }
  }
  rows.push(await idleNode(three, load, loads.scores, settings));
  return rows;
}

/** The third of three nodes, without sockets and calls, while the others write; against while nobody does. */
async function idleNode(
  { targets, ...behind }: { targets: Target[] } & Parameters<NodesLoad['cost']>[1],
  load: NodesLoad,
  requestsOf: RequestsOf,
  settings: Settings,
): Promise<Row> {
  const [idle, ...writing] = targets;
  if (!idle) throw new Error('there is no third node');
  const seconds = 2 * sideSeconds(settings);
  const written = async () => {
    const each = await Promise.all(writing.map(({ node }) => metricsOf(node)));
    return each.reduce((sum, metric) => sum + metric('gantry_events_total'), 0);
  };
  /** CPU time of the idle node a second meanwhile, in microseconds; and the events written, a second. */
  const during = async (work: () => Promise<unknown>) => {
    const [eventsBefore, cpuBefore] = [await written(), useOf(idle.node.child.pid)?.cpuSeconds ?? Number.NaN];
    const from = performance.now();
    await work();
    const elapsed = (performance.now() - from) / 1000;
    const cpuSeconds = (useOf(idle.node.child.pid)?.cpuSeconds ?? Number.NaN) - cpuBefore;
    return { cpu: (cpuSeconds * 1e6) / elapsed, events: ((await written()) - eventsBefore) / elapsed };
  };
  const figure = {
    name: 'nodes',
    variant: 'an event of others on an idle node',
    unit: 'µs of CPU',
    aim: '≤ 1',
  };
  const taken = await interleave(
    figure,
    {
      quiet: () => during(() => delay(seconds * 1000)),
      busy: () => during(() => load.cost(writing, behind, { inFlight: 96, seconds, requestsOf })),
    },
    settings,
  );
  const quiet = median(taken.quiet.map(({ cpu }) => cpu));
  settings.say(
    `nodes: an idle node takes ${(quiet / 1000).toFixed(1)} ms of CPU a second while nothing is written, ` +
      `${taken.busy.map(({ cpu, events }) => `${(cpu / 1000).toFixed(1)} at ${Math.round(events)} events/s`).join(', ')}`,
  );
  return toRow(
    figure,
    taken.busy.map(({ cpu, events }) => (cpu - quiet) / events),
    taken.busy.map(() => idleMicroseconds),
  );
}

/** One process with `REDIS_URL` against one without, on both engines. */
async function redisOnOneProcess(settings: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of ['SQLite', 'PostgreSQL']) {
    await using stack = new AsyncDisposableStack();
    const postgres = engine === 'PostgreSQL' ? stack.use(await startPostgres()) : null;
    const redis = stack.use(await startBenchRedis());
    const start = async (name: string, withRedis: TestRedis | null) => {
      const variables = postgres ? await newDatabase(postgres, name) : {};
      const world = stack.use(await makeWorld(playerCount, undefined, variables));
      return [stopping(stack, await startNode(world, withRedis, settings))];
    };
    const [alone, together] = [await start('alone', null), await start('together', redis)];
    const load = stack.use(new NodesLoad(1));
    const requestsOf = loadsOf(new Map()).scores;
    const job = { inFlight: 32, seconds: 1.5 * sideSeconds(settings), requestsOf };
    const variant = `scores on ${engine}, 32 in flight, with REDIS_URL`;
    const taken = await interleave(
      { name: 'nodes', variant },
      {
        with: () => load.cost(together, { postgres, redis }, job),
        without: () => load.cost(alone, { postgres, redis: null }, job),
      },
      settings,
    );
    tell(settings, `scores on ${engine}`, { 'with REDIS_URL': taken.with, without: taken.without });
    rows.push(costRow(`${variant}, of without`, `≤ ${limits.ofWithoutRedis}`, taken.with, taken.without));
  }
  return rows;
}

/** Settings for a new database. */
async function newDatabase(server: PostgresServer, name: string): Promise<Record<string, string>> {
  return { DATABASE_URL: await createDatabase(server, name), GANTRY_SECRET_KEY: 'b5'.repeat(32) };
}

/** The node ends with the stack. */
function stopping(stack: AsyncDisposableStack, target: Target): Target {
  stack.use(target.node);
  return target;
}

/** Every player is in one channel. */
async function openChannels(
  db: Database,
  { players }: Pick<World, 'players'>,
  channels: Map<string, string>,
): Promise<void> {
  for (let at = 0; at < players.length; at += membersOfChannel) {
    const [creator, ...others] = players.slice(at, at + membersOfChannel);
    if (!creator) continue;
    const wallets = others.map(({ wallet }) => wallet);
    const { _id: id } = await db.write(createChannel, creator, wallets);
    for (const { wallet } of [creator, ...others]) channels.set(wallet, id);
  }
}

/** The CPU time of everything a call, with that of the nodes beside it. */
function costRow(variant: string, aim: string, ours: readonly CallCost[], against: readonly CallCost[]): Row {
  const [our, their] = [mediansOf(ours), mediansOf(against)];
  return {
    ...toRow(
      { name: 'nodes', variant, unit: 'µs of CPU', aim },
      ours.map(({ total }) => total),
      against.map(({ total }) => total),
    ),
    ourCpuMicroseconds: our.node ?? Number.NaN,
    theirCpuMicroseconds: their.node ?? Number.NaN,
    figures: { ours: our, against: their },
  };
}

function mediansOf(rounds: readonly CallCost[]): Record<string, number> {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(rounds.map((one) => one[name] ?? Number.NaN))]),
  );
}

/** Reports the figures of each side. */
function tell({ say }: Settings, variant: string, sides: Record<string, readonly CallCost[]>): void {
  for (const [side, rounds] of Object.entries(sides)) {
    const of = (name: keyof CallCost & string, digits = 0) =>
      (mediansOf(rounds)[name] ?? Number.NaN).toFixed(digits);
    say(
      `nodes, ${variant}, ${side}: ${of('perSecond')} calls/s, p50 ${of('p50Ms', 1)} ms, p99 ${of('p99Ms', 1)} ms; ` +
        `µs of CPU: node ${of('node')}, PostgreSQL ${of('postgres')}, Redis ${of('redis', 1)}; ` +
        `${of('redisCommands', 3)} Redis commands a call (${of('redisScripts', 3)} scripts), ` +
        `${of('writesPerTransaction', 1)} writes a transaction`,
    );
  }
}
