import { expect, test } from 'vitest';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { freePort } from '../support/free-port.ts';
import { gantry } from '../support/gantry-process.ts';
import { get, post } from '../support/http.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis, startSentinel, type TestRedis } from '../support/redis.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

function follow(replica: TestRedis, master: TestRedis): Promise<string> {
  return replica.command('replicaof', '127.0.0.1', String(master.port));
}

async function hasReplica(master: TestRedis): Promise<boolean> {
  return (await master.command('info', 'replication')).includes('state=online');
}

async function reports({ url }: ClusterNode, wanted: object): Promise<void> {
  await until(`readiness ${JSON.stringify(wanted)}`, async () => {
    const { body } = await get(`${url}/readyz`);
    return Object.entries(wanted).every(([name, value]) => (body as Record<string, unknown>)[name] === value);
  });
}

async function isPresent({ url }: ClusterNode, { launcherJwt }: TestPlayer): Promise<unknown> {
  const { body } = await post(`${url}/launcher/channel-status`, { launcherJwt });
  return (body as { present: unknown }).present;
}

function toldOf({ received }: TestLauncher, { sessionId }: TestPlayer): unknown[] {
  return received
    .filter(({ name, record }) => name === 'game-channels patched' && record._id === sessionId)
    .map(({ record }) => record.present);
}

const ready = { status: 'ready', redis: 'ready' };
const replica = { status: 'degraded', redis: 'unavailable', reason: 'Redis is a read-only replica' };

// These tests run at the same time, because most of their time is waiting.
test.concurrent('a Redis that becomes a replica is reported, players of other nodes stay present, and it is used again as a master', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using other = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const stays = await data.openSession(await data.createGame());
  const leaves = await data.openSession(stays.gameId, stays.wallet);
  const launcher = await data.openSession(await data.createGame({ kind: 'launcher' }), stays.wallet);
  using watching = await connectLauncher(near.url, { launcherJwt: launcher.launcherJwt });
  using _staying = await connectLauncher(far.url, { launcherJwt: stays.launcherJwt });
  const leaving = await connectLauncher(far.url, { launcherJwt: leaves.launcherJwt });
  await until('both present', () => toldOf(watching, stays).length + toldOf(watching, leaves).length === 2);

  await follow(redis, other);
  await Promise.all([near, far].map((node) => reports(node, replica)));
  for (const node of [near, far]) expect(await isPresent(node, stays)).toBe(true);
  leaving.socket.disconnect();
  await until('announced as absent', () => toldOf(watching, leaves).length === 2);
  expect(await isPresent(near, leaves)).toBe(false);
  const from = performance.now();
  await until('leases that would have expired', () => performance.now() - from > 16_000);
  for (const node of [near, far]) expect(await isPresent(node, stays)).toBe(true);

  await redis.command('replicaof', 'no', 'one');
  await Promise.all([near, far].map((node) => reports(node, ready)));
  const recovered = performance.now();
  await until('a round of renewals and sweeps', () => performance.now() - recovered > 12_000);
  for (const node of [near, far]) {
    expect(await isPresent(node, stays)).toBe(true);
    expect(await isPresent(node, leaves)).toBe(false);
    expect(node.log().match(/read-only replica/g)).toHaveLength(1);
  }
  expect([toldOf(watching, stays), toldOf(watching, leaves)]).toEqual([[true], [true, false]]);
});

test.concurrent('nodes that name sentinels follow them to the new master when the old one dies', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using master = await startRedis();
  await using standby = await startRedis();
  await follow(standby, master);
  await until('replication', () => hasReplica(master));
  await using sentinel = await startSentinel(master);
  await using data = await openSharedData();
  const url = `redis-sentinel://127.0.0.1:${await freePort()},127.0.0.1:${sentinel.port}#gantry`;
  const variables = { DATA_DIR: data.path, REDIS_URL: url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  await Promise.all([near, far].map((node) => reports(node, ready)));
  const player = await data.openSession(await data.createGame());
  using _playing = await connectLauncher(far.url, { launcherJwt: player.launcherJwt });
  expect(await isPresent(near, player)).toBe(true);
  await until('the sentinel knows the replica', async () =>
    (await sentinel.command('info', 'sentinel')).includes('slaves=1'),
  );
  await master.kill();
  await reports(near, { redis: 'unavailable' });
  expect(await isPresent(near, player)).toBe(true);
  await Promise.all([near, far].map((node) => reports(node, ready)));
  expect(await standby.command('role')).toMatch(/^master/);
  expect(await isPresent(near, player)).toBe(true);
  expect(await standby.command('keys', '*presence:*')).toContain(player.sessionId);
});

test.concurrent('a Redis Cluster is refused at the start, and by doctor', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis(['--cluster-enabled', 'yes']);
  await redis.command('cluster', 'addslotsrange', '0', '16383');
  await until('the cluster', async () =>
    (await redis.command('cluster', 'info')).includes('cluster_state:ok'),
  );
  await using data = await openSharedData();
  const env = { DATA_DIR: data.path, REDIS_URL: redis.url, PORT: '0' };
  const served = await gantry(['serve'], { env });
  expect(served.code).toBe(1);
  expect(served.stderr).toContain('Redis is a cluster, which is not supported');
  expect((await gantry(['doctor'], { env })).stdout).toContain('Redis is a cluster, which is not supported');
});

test.concurrent('a user without channels is refused at the start, and by doctor', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await redis.command('acl', 'setuser', 'games', 'on', '>password', '~*', '+@all');
  await using data = await openSharedData();
  const REDIS_URL = redis.url.replace('//', '//games:password@');
  const variables = { DATA_DIR: data.path, REDIS_URL };
  const env = { ...variables, PORT: '0' };
  const served = await gantry(['serve'], { env, endAfter: /listening on/ });
  expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('&gantry:*') });
  expect((await gantry(['doctor'], { env })).stdout).toContain('ACL SETUSER <user> ~gantry:*');
  await redis.command('acl', 'setuser', 'games', 'resetkeys', '~gantry:*', '&gantry:*');
  await using node = await startClusterNode(variables);
  await reports(node, { status: 'ready', redis: 'ready' });
});

test.concurrent('permissions that are taken away and given back: events are heard over Redis again', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  const allow = (...rules: string[]) => redis.command('acl', 'setuser', 'games', ...rules);
  await allow('on', '>password', '~gantry:*', '&gantry:*', '+@all');
  await using data = await openSharedData();
  const REDIS_URL = redis.url.replace('//', '//games:password@');
  await using node = await startClusterNode({ DATA_DIR: data.path, REDIS_URL });
  await reports(node, { status: 'ready', redis: 'ready' });
  const channels = async () => (await redis.command('pubsub', 'channels', 'gantry:*')).split('\n').sort();
  const before = await channels();
  expect(before.length).toBeGreaterThan(1);
  const reason = 'The user of REDIS_URL lacks permissions in Redis (NOPERM)';
  await allow('resetchannels'); // Redis closes the connection that is subscribed
  await reports(node, { redis: 'unavailable', reason });
  expect(node.log()).toContain('ACL SETUSER <user> ~gantry:*');
  await allow('&gantry:*', '-subscribe');
  await reports(node, { redis: 'unavailable', reason });
  expect(await redis.command('pubsub', 'channels', 'gantry:*')).toBe('');
  await allow('+subscribe');
  await reports(node, { status: 'ready', redis: 'ready' });
  expect(await channels()).toEqual(before);
});
