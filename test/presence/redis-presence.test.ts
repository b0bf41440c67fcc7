import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MemoryPresence } from '../../src/cluster/presence/memory-presence.ts';
import { heartbeatLifetimeMs } from '../../src/cluster/presence/presence.ts';
import { RedisPresence } from '../../src/cluster/presence/redis-presence.ts';
import { connectRedis } from '../../src/cluster/redis/redis-clients.ts';
import { presenceContract } from '../contracts/presence.contract.ts';
import { redisMissing, startRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

let redis: TestRedis;
let prefixes = 0;

/** One node's presence on the shared Redis. Disposing of it simulates a crash: its leases are left to expire. */
interface Node extends AsyncDisposable {
  presence: RedisPresence;
  lapsed: string[];
  troubles: unknown[];
  isConnected(): boolean;
  /** Disconnects it from its Redis until `connect`. */
  disconnect(): void;
  connect(): Promise<void>;
}

async function startClusterNode(nodeId: string, prefix: string, leaseMs?: number): Promise<Node> {
  const clients = await connectRedis(redis.url, pino({ level: 'silent' }));
  const troubles: unknown[] = [];
  const lapsed: string[] = [];
  const presence = new RedisPresence(clients, {
    nodeId,
    prefix,
    report: (thrown) => troubles.push(thrown),
    ...(leaseMs !== undefined && { leaseMs }),
  });
  presence.onChange((session, present) => {
    if (!present) lapsed.push(session);
  });
  const isConnected = () => clients.trouble() === null;
  await until('Redis connected', isConnected);
  return {
    presence,
    lapsed,
    troubles,
    isConnected,
    disconnect: () => clients.commands.disconnect(),
    connect: () => clients.commands.connect(),
    async [Symbol.asyncDispose]() {
      await presence.close();
      clients.close();
    },
  };
}

/** As if the clock of Redis, which expiry is measured by, had been advanced. */
async function expireEarlier(prefix: string, ms: number): Promise<void> {
  const client = new Redis(redis.url);
  for (const key of await client.keys(`${prefix}:*`)) {
    for (const member of await client.zrange(key, '0', '-1')) await client.zincrby(key, -ms, member);
  }
  client.disconnect();
}

function newPrefix(): string {
  return `test ${prefixes++}`;
}

describe.skipIf(redisMissing !== null)(redisMissing ?? 'with a real Redis', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  afterEach(() => {
    vi.useRealTimers();
  });

  presenceContract('RedisPresence', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const prefix = newPrefix();
    const node = await startClusterNode('one', prefix);
    return {
      presence: node.presence,
      async advance(ms) {
        vi.advanceTimersByTime(ms);
        await expireEarlier(prefix, ms);
        await node.presence.renewLeases();
      },
      [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
    };
  });

  test('nodes share their state: one arrival and one departure in the whole cluster', async () => {
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    expect(await one.presence.connected('session', 'a')).toBe(true);
    expect(await other.presence.isPresent('session')).toBe(true);
    expect(await other.presence.connected('session', 'b')).toBe(false);
    expect(await other.presence.heartbeat('session')).toBe(false);
    expect(await one.presence.disconnected('session', 'a')).toBe(false);
    expect(await one.presence.isPresent('session')).toBe(true);

    expect(await other.presence.connected('another', 'c')).toBe(true);
    expect(await one.presence.connected('another', 'd')).toBe(false);
    expect(await other.presence.disconnected('another', 'c')).toBe(false);
    expect(await one.presence.disconnected('another', 'd')).toBe(true);
    expect(await other.presence.isPresent('another')).toBe(false);
  });

  test('a heartbeat to one node counts on the others', async () => {
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    expect(await one.presence.heartbeat('session')).toBe(true);
    expect(await other.presence.isPresent('session')).toBe(true);
    expect(await other.presence.connected('session', 'a')).toBe(false);
    expect(await other.presence.disconnected('session', 'a')).toBe(false);
  });

  test('heartbeats that follow each other are written to Redis once, and the last of them counts', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    const client = new Redis(redis.url);
    const expiresIn = async () =>
      Number(await client.zscore(`${prefix}:presence:session`, 'heartbeat')) -
      Number((await client.time())[0]) * 1000;
    const shift = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await expireEarlier(prefix, ms);
    };
    expect(await one.presence.heartbeat('session')).toBe(true);
    await shift(20_000);
    expect(await one.presence.heartbeat('session')).toBe(false);
    expect(await expiresIn()).toBeLessThan(heartbeatLifetimeMs - 15_000);
    await one.presence.renewLeases();
    expect(await expiresIn()).toBeLessThan(heartbeatLifetimeMs - 15_000);
    await shift(15_000);
    await one.presence.renewLeases(); // of 15 s ago
    expect(await expiresIn()).toBeGreaterThan(heartbeatLifetimeMs - 20_000);
    await shift(5_000);
    await one.presence.heartbeat('session');
    await one.presence.close();
    expect(await expiresIn()).toBeGreaterThan(heartbeatLifetimeMs - 5_000);
    expect(await other.presence.isPresent('session')).toBe(true);
    client.disconnect();
  });

  test('a heartbeat that comes long after the last one is written at once, so that a node that dies does not lose it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const prefix = newPrefix();
    await using dying = await startClusterNode('dying', prefix);
    await using other = await startClusterNode('other', prefix);
    const shift = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await expireEarlier(prefix, ms);
    };
    await dying.presence.heartbeat('session');
    await shift(36_000);
    expect(await dying.presence.heartbeat('session')).toBe(false);
    dying.disconnect();
    await shift(heartbeatLifetimeMs - 10_000);
    expect(await other.presence.isPresent('session')).toBe(true);
    await shift(20_000);
    expect(await other.presence.isPresent('session')).toBe(false);
  });

  test('a session whose heartbeat Redis has lost is announced as present again, once', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    const returned: string[] = [];
    one.presence.onChange((session, present) => {
      if (present) returned.push(session);
    });
    await one.presence.heartbeat('session');
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    expect(await other.presence.isPresent('session')).toBe(false); // which `reconcilePresence` announces
    vi.advanceTimersByTime(20_000);
    expect(await one.presence.heartbeat('session')).toBe(false); // written with the leases that are renewed later
    vi.advanceTimersByTime(15_000);
    await one.presence.renewLeases();
    await one.presence.renewLeases();
    expect(await other.presence.isPresent('session')).toBe(true);
    expect(returned).toEqual(['session']);
  });

  test("heartbeats count as long as ever when the machine's clock is set", async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] }); // from here on, since performance starts at 0
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    const alone = new MemoryPresence();
    const client = new Redis(redis.url);
    await one.presence.heartbeat('session');
    await alone.heartbeat('session');
    vi.setSystemTime(Date.now() - 2 * heartbeatLifetimeMs);
    vi.advanceTimersByTime(60_000);
    await expireEarlier(prefix, 60_000);
    await one.presence.heartbeat('session');
    const [seconds] = await client.time();
    const expiresAt = Number(await client.zscore(`${prefix}:presence:session`, 'heartbeat'));
    expect(expiresAt - Number(seconds) * 1000).toBeGreaterThan(heartbeatLifetimeMs - 10_000);
    vi.setSystemTime(Date.now() + 4 * heartbeatLifetimeMs);
    for (const presence of [one.presence, other.presence, alone])
      expect(await presence.isPresent('session')).toBe(true);
    client.disconnect();
    await alone.close();
  });

  test('many leases are renewed, and many sessions asked for, with few commands', async () => {
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    const sessions = Array.from({ length: 250 }, (_, at) => `session ${at}`);
    await Promise.all(sessions.map((id) => one.presence.connected(id, `socket of ${id}`)));
    const scripts = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.command('INFO', 'commandstats'))?.[1] ?? 0);
    await redis.command('CONFIG', 'RESETSTAT');
    await one.presence.renewLeases();
    const present = await Promise.all([...sessions, 'another'].map((id) => other.presence.isPresent(id)));
    expect(present).toEqual([...sessions.map(() => true), false]);
    // Three each, one for what is overdue, and what the nodes do by themselves meanwhile.
    expect(await scripts()).toBeLessThanOrEqual(20);
  });

  test("a dead node's players become absent automatically, which one of the others announces, once", async () => {
    const prefix = newPrefix();
    const leaseMs = 600;
    await using one = await startClusterNode('one', prefix, leaseMs);
    await using other = await startClusterNode('other', prefix, leaseMs);
    const dying = await startClusterNode('dying', prefix, leaseMs);
    await dying.presence.connected('session', 'a');
    await dying.presence.connected('shared', 'b');
    await one.presence.connected('shared', 'c');
    await dying[Symbol.asyncDispose]();
    expect(await one.presence.isPresent('session')).toBe(true);
    await until('the lapse', () => one.lapsed.length + other.lapsed.length > 0);
    expect(await one.presence.isPresent('session')).toBe(false);
    expect(await other.presence.isPresent('session')).toBe(false);
    await Promise.all([one.presence.renewLeases(), other.presence.renewLeases()]);
    expect([...one.lapsed, ...other.lapsed]).toEqual(['session']);
    expect(await other.presence.isPresent('shared')).toBe(true);
    expect(await one.presence.disconnected('shared', 'c')).toBe(true);
  });

  test('a live node keeps its leases, however long its sockets stay', async () => {
    const prefix = newPrefix();
    const leaseMs = 900;
    await using one = await startClusterNode('one', prefix, leaseMs);
    await using other = await startClusterNode('other', prefix, leaseMs);
    await one.presence.connected('session', 'a');
    const from = Date.now();
    while (Date.now() - from < leaseMs * 4) {
      expect(await other.presence.isPresent('session')).toBe(true);
      await other.presence.renewLeases();
    }
    expect([...one.lapsed, ...other.lapsed]).toEqual([]);
  });

  test('a node that restarts under the same address does not inherit its previous leases', async () => {
    const prefix = newPrefix();
    const leaseMs = 600;
    const before = await startClusterNode('first life', prefix, leaseMs);
    await before.presence.connected('session', 'a');
    await before[Symbol.asyncDispose]();
    await using after = await startClusterNode('second life', prefix, leaseMs);
    expect(await after.presence.connected('session', 'b')).toBe(false);
    expect(await after.presence.disconnected('session', 'b')).toBe(false);
    await until('the lapse', () => after.lapsed.includes('session'));
  });

  test('two Gantries on one Redis do not see each other', async () => {
    await using one = await startClusterNode('one', newPrefix());
    await using other = await startClusterNode('other', newPrefix());
    await one.presence.connected('session', 'a');
    expect(await other.presence.isPresent('session')).toBe(false);
  });

  test('nothing is left in Redis of sessions that are over', async () => {
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await one.presence.connected('session', 'a');
    await one.presence.disconnected('session', 'a');
    const client = new Redis(redis.url);
    expect(await client.keys(`${prefix}:*`)).toEqual([]);
    client.disconnect();
  });
});

describe.skipIf(redisMissing !== null)(redisMissing ?? 'a lease that lapses though its node lives', () => {
  test('because the node was suspended: players announced as absent are announced as present again, once', async () => {
    redis = await startRedis();
    await using _redis = redis;
    const prefix = newPrefix();
    const leaseMs = 600;
    await using one = await startClusterNode('one', prefix, leaseMs);
    await using other = await startClusterNode('other', prefix, leaseMs);
    const returned: string[] = [];
    one.presence.onChange((session, present) => {
      if (present) returned.push(session);
    });
    await one.presence.connected('session', 'a');
    await one.presence.renewLeases();
    expect(returned).toEqual([]);
    const stoodStill = vi.spyOn(one.presence, 'renewLeases').mockResolvedValue(undefined);
    await until('the lapse', () => other.lapsed.includes('session'));
    stoodStill.mockRestore();
    await until('the return', () => returned.includes('session'));
    await one.presence.renewLeases();
    expect(returned).toEqual(['session']);
    expect(await other.presence.isPresent('session')).toBe(true);
    expect(await one.presence.disconnected('session', 'a')).toBe(true);
  });

  test('because Redis hung for longer: nobody is announced as absent', async () => {
    redis = await startRedis();
    await using _redis = redis;
    const prefix = newPrefix();
    const leaseMs = 4_000;
    await using one = await startClusterNode('one', prefix, leaseMs);
    await using other = await startClusterNode('other', prefix, leaseMs);
    const changes: string[] = [];
    for (const { presence } of [one, other]) presence.onChange((session) => changes.push(session));
    await one.presence.connected('session', 'a');
    await other.presence.connected('another', 'b');
    redis.freeze();
    const from = Date.now();
    await until('leases that would have lapsed', () => Date.now() - from > leaseMs + 3_000);
    other.disconnect();
    redis.thaw();
    await until('one connected', () => one.isConnected());
    await one.presence.renewLeases(); // before the other has had the time to come back
    expect(changes).toEqual([]);
    await other.connect();
    await until('Redis connected', () => other.isConnected());
    const thawed = Date.now();
    await until('rounds of renewals and sweeps', () => Date.now() - thawed > leaseMs * 1.5);
    expect(changes).toEqual([]);
    expect(await other.presence.isPresent('session')).toBe(true);
  });
});

describe.skipIf(redisMissing !== null)(redisMissing ?? 'while Redis is away', () => {
  test('each node answers from its local state, immediately, and nothing rejects', async () => {
    redis = await startRedis();
    await using _redis = redis;
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    await one.presence.connected('before', 'a');
    await redis.kill();
    await until('the outage noticed', () => !one.isConnected() && !other.isConnected());
    expect(await one.presence.isPresent('before')).toBe(true);
    expect(await other.presence.isPresent('before')).toBe(false);
    expect(await one.presence.connected('during', 'b')).toBe(true);
    expect(await one.presence.connected('during', 'c')).toBe(false);
    expect(await one.presence.heartbeat('by heartbeat')).toBe(true);
    expect(await one.presence.disconnected('during', 'b')).toBe(false);
    expect(await one.presence.disconnected('during', 'c')).toBe(true);
    expect(await one.presence.disconnected('before', 'a')).toBe(true);
  });

  test('when it is back, empty, every node soon knows again who is present, and departures are announced', async () => {
    redis = await startRedis();
    await using _redis = redis;
    const prefix = newPrefix();
    await using one = await startClusterNode('one', prefix);
    await using other = await startClusterNode('other', prefix);
    await one.presence.connected('stays', 'a');
    await one.presence.connected('leaves', 'b');
    await one.presence.heartbeat('beats');
    await redis.kill();
    await redis.start();
    await until('Redis connected', () => one.isConnected() && other.isConnected());
    await until('presence is known', () => other.presence.isPresent('stays'), 2_000);
    await until('heartbeats are known', () => other.presence.isPresent('beats'), 2_000);
    expect(await other.presence.connected('stays', 'c')).toBe(false);
    expect(await one.presence.disconnected('leaves', 'b')).toBe(true);
    expect(await one.presence.disconnected('stays', 'a')).toBe(false);
    expect(await other.presence.disconnected('stays', 'c')).toBe(true);
  });
});
