import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callLimits, type LimitedCall, RateLimits } from '../../src/calls/limits/rate-limits.ts';
import { openClient } from '../../src/cluster/redis/open-client.ts';
import { type AddScript, addScript, RedisCounts } from '../../src/cluster/redis/redis-counts.ts';
import type { RateLimit } from '../../src/core/rate-limit.ts';
import { WindowCounter } from '../../src/core/window-counter.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { type Answer, post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { refused } from '../support/outcome.ts';
import { redisMissing, startRedis, type TestRedis } from '../support/redis.ts';
import { randomWallet } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

const mostNodes = 10;
/** The longest window of which points are leased: none ends in the middle of a test. */
const seconds = 10;
const limit: RateLimit = { points: 100, seconds };
const title = redisMissing === null ? 'nodes on one Redis' : `nodes on one Redis (${redisMissing})`;

describe.skipIf(redisMissing !== null)(title, () => {
  let redis: TestRedis;
  /** A connection for each node. */
  let clients: Redis[];
  const scripts = new Map<Redis, AddScript>();
  /** A new prefix of the keys for each test. */
  let name = '';
  let tests = 0;
  beforeAll(async () => {
    redis = await startRedis();
    clients = Array.from({ length: mostNodes }, () =>
      openClient(redis.url, { enableOfflineQueue: false, maxRetriesPerRequest: null }),
    );
    for (const client of clients) client.on('error', () => {}); // killed below
    await connected();
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await redis[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    name = `test ${tests++}`;
  });

  const connected = () =>
    until('the nodes connected', () => clients.every(({ status }) => status === 'ready'));
  const countsOf = (client: Redis, nodes: number, of = name) => {
    const script = scripts.get(client) ?? addScript(client);
    scripts.set(client, script);
    return new RedisCounts(script, of, () => nodes);
  };

  function nodesWith(count: number, of: RateLimit = limit): Node[] {
    return clients
      .slice(0, count)
      .map((client) => new Node(new WindowCounter(of, countsOf(client, count)), of));
  }

  /** Commands and scripts run since the last reset, without those of a script. */
  const scriptsRun = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.command('INFO', 'commandstats'))?.[1] ?? 0);

  const leased: [string, RateLimit][] = [
    ['a player’s writes', { ...callLimits.writes, seconds }],
    ['a player’s reads', { ...callLimits.reads, seconds }],
    ['a thousand calls', { points: 1_000, seconds }],
    ['fifty calls', { points: 50, seconds }],
  ];
  const exact: [string, RateLimit][] = [
    ['wrong admin tokens', callLimits.adminRefusals],
    ['wrong tokens', callLimits.refusals],
    ['sign-ins', callLimits.walletSignIns],
    ['new guests', callLimits.newGuests],
    ['friend requests', callLimits.friendRequests],
    ['forty-nine calls', { points: 49, seconds }],
  ];
  const loads: [string, (nodes: readonly Node[], calls: number) => Promise<void>][] = [
    ['evenly, in turn', inTurn],
    ['all at once', atOnce],
    ['nearly all on one node', skewed],
    ['on one node after the other', oneAfterTheOther],
  ];

  describe.each(loads)('%s', (_load, send) => {
    it.each(exact)('admit exactly the limit of %s', async (_what, of) => {
      for (const count of [1, 3, 10]) {
        name = `${name}/${count}`;
        const nodes = nodesWith(count, of);
        await send(nodes, 2 * of.points);
        expect(admittedBy(nodes)).toBe(of.points);
      }
    });

    it.each(leased)('admit at least the limit of %s, and at most a tenth more', async (_what, of) => {
      for (const count of [1, 3, 10]) {
        name = `${name}/${count}`;
        const nodes = nodesWith(count, of);
        await send(nodes, 3 * of.points);
        const most = count === 1 ? 0 : Math.max(of.points / 10, count);
        // A burst ends with leases that are not used; calls after it would use them.
        const least = count > 1 && send === atOnce ? of.points * 0.9 : of.points;
        expect(admittedBy(nodes)).toBeGreaterThanOrEqual(least);
        expect(admittedBy(nodes)).toBeLessThanOrEqual(of.points + most);
      }
    });
  });

  it('admit exactly the limit when three are used evenly', async () => {
    const nodes = nodesWith(3);
    await inTurn(nodes, 300);
    expect(admittedBy(nodes)).toBe(100);
  });

  it('count a batch as its size', async () => {
    const nodes = nodesWith(3);
    for (let round = 0; round < 5; round++) for (const node of nodes) await node.count(25);
    expect(admittedBy(nodes)).toBe(100);
  });

  it('leave to the others what an idle one does not need', async () => {
    const [busy, ...idle] = nodesWith(10) as [Node, ...Node[]];
    for (const node of idle) for (let call = 0; call < 3; call++) await node.count();
    await inTurn([busy], 200);
    expect(busy.admitted).toBeGreaterThanOrEqual(60);
  });

  it('end a window at the same time', async () => {
    const [first, late] = nodesWith(2, { points: 100, seconds: 1 }) as [Node, Node];
    await inTurn([first], 200);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await inTurn([late], 100);
    expect(late.admitted).toBeLessThanOrEqual(10);
    const left = Number(await redis.command('PTTL', `${name}:key`));
    for (const { msLeft } of [await first.count(), await late.count()]) {
      expect(msLeft).toBeLessThanOrEqual(left);
      expect(msLeft).toBeGreaterThan(left - 300);
    }
    await until('the window’s end', async () => (await redis.command('EXISTS', `${name}:key`)) === '0');
    expect((await late.count()).count).toBe(1);
  });

  it('keep no count longer than its window', async () => {
    await inTurn(nodesWith(3), 100);
    await nodesWith(1, callLimits.refusals)[0]?.count();
    const keys = (await redis.command('KEYS', `${name}*`)).split('\n');
    expect(keys).toHaveLength(1);
    for (const key of keys) {
      const ms = Number(await redis.command('PTTL', key));
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThanOrEqual(seconds * 1000);
    }
  });

  it('say what all have used', async () => {
    const [one, other] = nodesWith(2) as [Node, Node];
    for (let call = 0; call < 40; call++) await one.count();
    for (let call = 0; call < 7; call++) await other.count();
    const { count } = await other.count();
    expect(count).toBeGreaterThanOrEqual(48);
    expect(count).toBeLessThanOrEqual(58); // and what the first has leased
  });

  it('see each other’s exact counts without counting', async () => {
    const [one, other] = nodesWith(2, callLimits.adminRefusals) as [Node, Node];
    expect((await other.counter.peek('key'))?.count).toBe(0);
    for (let call = 0; call < 5; call++) await one.count();
    expect((await other.counter.peek('key'))?.count).toBe(5);
    expect((await other.count()).count).toBe(6);
  });

  it('ignore an answer for a window that has ended', async () => {
    const time = { now: 0 };
    const counter = new WindowCounter(limit, countsOf(clients[0] as Redis, 1), () => time.now);
    for (let call = 0; call < 10; call++) await counter.count('key');
    await clients[0]?.ping();
    await redis.command('PEXPIRE', `${name}:key`, '60000'); // as a window that another node has begun since
    redis.freeze();
    const asking = Array.from({ length: 20 }, () => counter.count('key')); // which leases more
    time.now += seconds * 1000;
    redis.thaw();
    await Promise.all(asking);
    expect(counter.count('key')).toMatchObject({ count: 1 });
  });

  it('restore a count that Redis has lost', async () => {
    const [node] = nodesWith(1) as [Node];
    for (let call = 0; call < 60; call++) await node.count();
    await redis.command('FLUSHALL');
    await inTurn([node], 100);
    expect(node.admitted).toBe(100);
  });

  it('count separately for the rest of a window when Redis is killed, and together in the next', async () => {
    const nodes = nodesWith(3);
    await inTurn(nodes, 60);
    await redis.kill();
    await inTurn(nodes, 600);
    expect(admittedBy(nodes)).toBeGreaterThanOrEqual(100);
    for (const { admitted } of nodes) expect(admitted).toBeLessThanOrEqual(100);
    await redis.start();
    await connected();
    for (const node of nodes) node.key = 'another';
    await inTurn(nodes, 300);
    expect(admittedBy(nodes)).toBe(100);
  });

  it('ask Redis at most once in ten calls, and answer most without a promise', async () => {
    const wallets = Array.from({ length: 20 }, randomWallet);
    const limitsOf = (client: Redis, count: number) =>
      new RateLimits(1, (what) => countsOf(client, count, `${name}/${count} ${what}`));
    const write: LimitedCall = { kind: 'write', name: 'setUserScore' };
    for (const [count, callsOfEach] of [
      [1, 30],
      [3, 30],
      [3, 3],
    ] as const) {
      name = `${name}/`;
      await redis.command('CONFIG', 'RESETSTAT');
      const nodes = clients.slice(0, count).map((client) => limitsOf(client, count));
      let promises = 0;
      for (let call = 0; call < callsOfEach; call++) {
        for (const [at, wallet] of wallets.entries()) {
          const counting = nodes[at % count]?.count(write, { address: `203.0.113.${at}`, wallet });
          if (counting) promises++;
          await counting;
        }
        await clients[0]?.ping(); // as calls that take a moment
      }
      const calls = callsOfEach * wallets.length;
      expect(await scriptsRun()).toBeLessThanOrEqual(calls / 10);
      expect(promises).toBeLessThanOrEqual(calls / 10);
    }
  });

  it('in two processes, admit a player’s calls together, and say how many are left', async () => {
    await using opened = new AsyncDisposableStack();
    const data = opened.use(await openSharedData());
    const gameId = await data.createGame({
      policies: { limits: { read: { points: 1_000_000, seconds }, write: limit } },
    });
    const variables = { DATA_DIR: data.path, REDIS_URL: redis.url, RATE_LIMIT_FACTOR: '1' };
    const nodes = await Promise.all([1, 2].map(() => startClusterNode(variables)));
    for (const node of nodes) opened.use(node);
    const launchers = await Promise.all(
      nodes.map(async ({ url }) => {
        const { launcherJwt } = await data.openSession(gameId);
        return connectLauncher(url, { launcherJwt });
      }),
    );
    for (const launcher of launchers) {
      opened.use(launcher);
      await until('the nodes know each other', async () => {
        const { games } = Object(await launcher.call('followGameStats', { gameIds: [gameId] }));
        return games[0].playing === nodes.length;
      });
    }
    const { launcherJwt } = await data.openSession(gameId);
    const setScore = (url: string) => post(`${url}/launcher/set-user-score`, { launcherJwt, score: 1 });
    const remaining = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    for (const { url } of nodes) await Promise.all(Array.from({ length: 16 }, () => setScore(url)));
    const [, left] = await Promise.all(nodes.map(async ({ url }) => remaining(await setScore(url))));
    expect(left).toBeGreaterThanOrEqual(100 - 2 * 34); // with leases that are not used yet
    expect(left).toBeLessThanOrEqual(100 - 33); // it was called last
    const answers = await Promise.all(
      nodes.flatMap(({ url }) => Array.from({ length: 60 }, () => setScore(url))),
    );
    const over = answers.filter(({ status }) => status !== 200);
    for (const answer of over) refused(answer, 429, 'rate_limited');
    expect(34 + answers.length - over.length).toBe(100);
  });
});

/** A node's counter, and how many calls it has admitted with one key. */
class Node {
  readonly counter: WindowCounter;
  readonly #points: number;
  readonly #admitted = new Map<string, number>();
  key = 'key';

  constructor(counter: WindowCounter, { points }: RateLimit) {
    this.counter = counter;
    this.#points = points;
  }

  get admitted(): number {
    return this.#admitted.get(this.key) ?? 0;
  }

  async count(calls = 1) {
    const state = await this.counter.count(this.key, calls);
    if (state.count <= this.#points) this.#admitted.set(this.key, this.admitted + calls);
    return state;
  }
}

const admittedBy = (nodes: readonly Node[]) => nodes.reduce((sum, { admitted }) => sum + admitted, 0);

async function inTurn(nodes: readonly Node[], calls: number): Promise<void> {
  for (let call = 0; call < calls; call += nodes.length) await Promise.all(nodes.map((node) => node.count()));
}

async function atOnce(nodes: readonly Node[], calls: number): Promise<void> {
  await Promise.all(Array.from({ length: calls }, (_, call) => nodes[call % nodes.length]?.count()));
}

/** One call in ten goes to one of the other nodes. */
async function skewed([busy, ...others]: readonly Node[], calls: number): Promise<void> {
  for (let call = 0; call < calls; call++) {
    const other = call % 10 === 9 ? others[((call / 10) % others.length) | 0] : undefined;
    await (other ?? busy)?.count();
  }
}

async function oneAfterTheOther(nodes: readonly Node[], calls: number): Promise<void> {
  for (const node of nodes) await inTurn([node], calls);
}
