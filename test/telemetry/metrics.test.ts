import { expect, test } from 'vitest';
import { z } from 'zod';
import { reasons } from '../../src/core/errors.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import { events } from '../../src/server/declarations/events.ts';
import { operations } from '../../src/server/declarations/operations.ts';
import { CallCounts } from '../../src/telemetry/call-observer.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { RecentRefusals } from '../../src/telemetry/refusals.ts';
import { freePort } from '../support/free-port.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { get, post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantryJson } from '../support/warm-gantry.ts';
import { readExposition, type Sample } from './exposition.ts';

async function scrape(url: string, headers: Record<string, string> = {}): Promise<Sample[]> {
  const { status, headers: answered, body } = await get(url, headers);
  expect([status, answered.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return readExposition(z.string().parse(body));
}

function sampleOf(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  return samples.find(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  )?.value;
}

test('metrics are readable with the admin token only', async () => {
  await using server = await startTestServer();
  const url = `${server.url}/metrics`;
  expect((await get(url)).body).toMatchObject({ code: 401, data: { reason: 'admin_token_invalid' } });
  expect((await get(url, { Authorization: 'Bearer wrong-wrong-wrong-wrong' })).status).toBe(401);
  const samples = await scrape(url, { Authorization: `Bearer ${server.adminToken}` });
  expect(sampleOf(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([]);
});

test('metrics are protected against guessing the token', async () => {
  await using server = await startTestServer({ RATE_LIMIT_FACTOR: '1' });
  const statuses = new Set<number>();
  for (let guess = 0; guess < 25; guess++) {
    statuses.add((await get(`${server.url}/metrics`, { Authorization: `Bearer guess-${guess}` })).status);
  }
  expect(statuses).toEqual(new Set([401, 429]));
  // Without a token it is no guess, and is told what is missing.
  expect((await get(`${server.url}/metrics`)).status).toBe(401);
});

test('metrics have a separate port when it is set, which serves nothing else', async () => {
  await using server = await startTestServer({ METRICS_PORT: `${await freePort()}` });
  expect(server.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  expect((await scrape(String(server.metricsUrl))).length).toBeGreaterThan(50);
  const other = new URL('/healthz', String(server.metricsUrl));
  expect((await get(other.href)).status).toBe(404);
  expect((await post(String(server.metricsUrl), {})).status).toBe(404);
  expect((await get(`${server.url}/metrics`)).status).toBe(401);
});

test('metrics count calls by outcome and transport, sockets, events, batches and commits', async () => {
  await using server = await startTestServer({ METRICS_PORT: '0' });
  const { gameId } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  const before = await scrape(String(server.metricsUrl));
  const setScore = (score: unknown) => post(`${server.url}/launcher/set-user-score`, { launcherJwt, score });
  await Promise.all(Array.from({ length: 40 }, (_, score) => setScore(score)));
  expect((await setScore(1.5)).status).toBe(400);
  await post(`${server.url}/launcher`, '{', { 'X-Service-Method': 'setUserScore' });
  using launcher = await connectLauncher(server.url, { launcherJwt });
  await launcher.call('setUserScore', { score: 7 });
  const after = await scrape(String(server.metricsUrl));

  const call = (labels: Record<string, string>) => sampleOf(after, 'gantry_calls_total', labels);
  const operation = 'setUserScore';
  expect(call({ operation, transport: 'http', outcome: 'ok' })).toBe(40);
  expect(call({ operation, transport: 'socket', outcome: 'ok' })).toBe(1);
  expect(call({ operation, outcome: 'score_not_integer' })).toBe(1);
  expect(call({ operation: 'none', outcome: 'body_not_json' })).toBe(1);
  expect(sampleOf(after, 'gantry_call_duration_seconds_count', { operation })).toBe(42);
  expect(sampleOf(after, 'gantry_sockets')).toBe(1);
  expect(sampleOf(after, 'gantry_events_total', { event: 'scores created' })).toBe(41);
  const grown = (name: string) => (sampleOf(after, name) ?? 0) - (sampleOf(before, name) ?? 0);
  expect(grown('gantry_write_batch_size_sum')).toBeGreaterThanOrEqual(41);
  expect(grown('gantry_commit_duration_seconds_count')).toBe(grown('gantry_write_batch_size_count'));
  expect(grown('gantry_commit_duration_seconds_sum')).toBeGreaterThan(0);
  expect(grown('gantry_wal_bytes')).toBeGreaterThan(0);
  expect(sampleOf(after, 'gantry_database_bytes')).toBeGreaterThan(0);
  expect(sampleOf(after, 'gantry_disk_free_bytes')).toBeGreaterThan(1024 ** 2);
  expect(sampleOf(after, 'gantry_redis_up')).toBeUndefined();
  launcher.socket.disconnect();
  await until(
    'the socket has disconnected',
    async () => sampleOf(await scrape(String(server.metricsUrl)), 'gantry_sockets') === 0,
  );
});

test('metrics show how much of its storage quota the fullest game uses', async () => {
  await using server = await startTestServer({ METRICS_PORT: '0' });
  const policies = { storageQuotaMegabytes: 1 };
  const used = async () => sampleOf(await scrape(String(server.metricsUrl)), 'gantry_storage_used_ratio');
  expect(await used()).toBeLessThan(0.01);
  for (const bytes of [100_000, 600_000]) {
    const { gameId } = await server.createGame({ policies });
    const { launcherJwt } = await server.openSession(gameId);
    const state = `"${'a'.repeat(bytes)}"`;
    const saved = await post(`${server.url}/launcher/set-state`, { launcherJwt, label: 'all', state });
    expect(saved.status).toBe(200);
  }
  expect(await used()).toBeCloseTo(0.573, 2);
});

test('metrics show the queue: its length, age and results', async () => {
  await using server = await startTestServer({ METRICS_PORT: '0' });
  const { gameId } = await server.createGame();
  const action = { kind: 'nobody-runs-it', type: 'Webhook', gameId, payload: {} };
  await server.services.db.write(enqueueActions, [action, action]);
  const samples = await scrape(String(server.metricsUrl));
  expect(sampleOf(samples, 'gantry_queue_depth', { kind: 'nobody-runs-it' })).toBe(2);
  expect(sampleOf(samples, 'gantry_queue_oldest_seconds', { kind: 'nobody-runs-it' })).toBeGreaterThanOrEqual(
    0,
  );
  expect(sampleOf(samples, 'gantry_queue_actions_total', { kind: 'chain', outcome: 'confirmed' })).toBe(0);
});

test('metrics have labels of closed sets only, whatever callers send', async () => {
  await using server = await startTestServer({ METRICS_PORT: '0' });
  for (let made = 0; made < 300; made++) {
    await post(`${server.url}/launcher`, {}, { 'X-Service-Method': `made-up-${made}` });
    await post(`${server.url}/launcher/made-up-${made}`, { launcherJwt: `made-up-${made}` });
  }
  const samples = await scrape(String(server.metricsUrl));
  expect(JSON.stringify(samples)).not.toContain('made-up');
  const allowed: Record<string, readonly string[]> = {
    operation: ['none', ...operations.map(({ name }) => name)],
    outcome: ['ok', 'aborted', 'confirmed', 'failed', 'retried', ...Object.keys(reasons)],
    transport: ['http', 'socket'],
    event: Object.keys(events),
    reason: ['flood', 'slow-reader', ...Object.keys(reasons)],
    at: ['call', 'handshake', 'connection'],
    source: ['bus', 'skipped', 'database'],
    thread: ['main', 'writer'],
    kind: ['chain', 'webhook', 'minor', 'major', 'incremental', 'weakcb'],
  };
  const ours = samples.filter(({ name }) => name.startsWith('gantry_'));
  expect(ours.length).toBeGreaterThan(0);
  for (const { labels } of ours) {
    for (const [label, value] of Object.entries(labels))
      if (label !== 'le') expect(allowed[label]).toContain(value);
  }
});

test('metrics omit values that are currently unavailable, rather than reporting 0 or failing', async () => {
  const busy = () => Promise.reject(new Error('the database is busy'));
  const metrics = new Metrics({
    calls: new CallCounts(),
    db: { stats: busy, onCommit: () => undefined },
    queue: async () => [],
    storageUsed: busy,
    diskFree: busy,
    heldBytes: () => 0,
    refusals: new RecentRefusals(),
    sockets: () => 3,
    presence: () => ({ players: 2, followers: 1 }),
    nodes: () => 1,
    received: () => ({ bus: 0, skipped: 0, database: 0 }),
    redis: () => null,
  });
  const samples = readExposition(await metrics.text());
  expect(sampleOf(samples, 'gantry_sockets')).toBe(3);
  const names = samples.map(({ name }) => name).join();
  expect(names).not.toMatch(/gantry_(commit|write_batch|wal|database|disk|storage|redis)/);
});

test('metrics show how busy the threads are', async () => {
  await using server = await startTestServer({ METRICS_PORT: '0' });
  const { gameId } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  const busy = async (thread: string) =>
    sampleOf(await scrape(String(server.metricsUrl)), 'gantry_thread_busy_seconds_total', { thread }) ?? 0;
  const [main, writer] = [await busy('main'), await busy('writer')];
  expect(Math.min(main, writer)).toBeGreaterThan(0);
  await Promise.all(
    Array.from({ length: 20 }, (_, score) =>
      post(`${server.url}/launcher/set-user-score`, { launcherJwt, score }),
    ),
  );
  expect(await busy('main')).toBeGreaterThan(main);
  expect(await busy('writer')).toBeGreaterThan(writer);
});

test.skipIf(redisMissing !== null)(
  'metrics show what a node receives from the others: over Redis, and from the database when that is away',
  async () => {
    await using redis = await startRedis();
    await using directory = await temporaryDirectory();
    const settings = { DATA_DIR: directory.path, REDIS_URL: redis.url, METRICS_PORT: '0' };
    await using writing = await startTestServer(settings);
    await using idle = await startTestServer(settings);
    const { gameId } = await writing.createGame();
    const { launcherJwt } = await writing.openSession(gameId);
    const setScore = () => post(`${writing.url}/launcher/set-user-score`, { launcherJwt, score: 1 });
    const of = async (name: string, labels: Record<string, string> = {}) =>
      sampleOf(await scrape(String(idle.metricsUrl)), name, labels);
    const received = (source: string) => of('gantry_events_received_total', { source });
    await until('the nodes know each other', async () => (await of('gantry_nodes')) === 2);
    const { launcherJwt: ofAnother } = await writing.openSession(gameId);
    using another = await connectLauncher(idle.url, { launcherJwt: ofAnother });
    await another.streams();
    const [before, commands = 0] = [await received('skipped'), await of('gantry_redis_commands_total')];
    await setScore();
    await until('an event over Redis', async () => (await received('skipped')) === Number(before) + 1);
    using launcher = await connectLauncher(idle.url, { launcherJwt });
    await launcher.streams();
    const delivered = await received('bus');
    await setScore();
    await until('an event for a launcher', async () => Number(await received('bus')) > Number(delivered));
    launcher.socket.disconnect();
    await post(`${idle.url}/launcher/set-user-score`, { launcherJwt, score: 2 });
    expect(await of('gantry_redis_commands_total')).toBeGreaterThan(commands);
    const read = await received('database');
    await redis.kill();
    await setScore();
    await until('an event from the database', async () => (await received('database')) === Number(read) + 1);
  },
);

test.skipIf(redisMissing !== null)('metrics say whether Redis is available', async () => {
  await using redis = await startRedis();
  await using server = await startTestServer({ METRICS_PORT: '0', REDIS_URL: redis.url });
  const isUp = async () => sampleOf(await scrape(String(server.metricsUrl)), 'gantry_redis_up');
  await until('Redis is up', async () => (await isUp()) === 1);
  await redis.kill();
  await until('Redis is down', async () => (await isUp()) === 0);
});

test('at the level debug every call has a log line, with an id that its response has too', async () => {
  await using directory = await temporaryDirectory();
  const created = await gantryJson(['game', 'create', '--name', 'One'], directory.path);
  const { gameId } = z.object({ gameId: z.string() }).parse(created);
  const opened = await gantryJson(['token', '--game', gameId, '--wallet', randomWallet()], directory.path);
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(opened);
  await using server = await serveGantry(directory.path, { LOG_LEVEL: 'debug', GANTRY_DEMO: 'off' });
  const good = await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1 });
  const bad = await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 'x' });
  const none = await post(`${server.url}/launcher/set-user-scores`, {});
  using launcher = await connectLauncher(server.url, { launcherJwt });
  await launcher.call('getUserScore');
  launcher.socket.disconnect();
  const { stderr } = await server.end('SIGTERM');
  const line = z.looseObject({ msg: z.string(), ms: z.number().min(0).optional() });
  const lines = stderr
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)))
    .filter(({ msg }) => msg === 'call');
  const shared = { level: 20, ms: expect.any(Number), transport: 'http' };
  const refused = { ...shared, level: 30, address: '127.0.0.1' };
  expect(lines).toMatchObject([
    {
      ...shared,
      id: good.headers.get('x-request-id'),
      operation: 'setUserScore',
      game: gameId,
      outcome: 'ok',
    },
    {
      ...refused,
      id: bad.headers.get('x-request-id'),
      operation: 'setUserScore',
      outcome: 'score_not_integer',
    },
    { ...refused, id: none.headers.get('x-request-id'), outcome: 'path_unknown' },
    { ...shared, transport: 'socket', operation: 'getUserScore', game: gameId, outcome: 'ok' },
  ]);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4);
});
