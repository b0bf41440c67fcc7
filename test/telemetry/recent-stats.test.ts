import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { RecentStats } from '../../src/telemetry/recent-stats.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

const sources = {
  sockets: () => 3,
  present: async () => 2,
  queueDepth: async () => 1,
  storage: async () => ({ databaseBytes: 4096, logBytes: 8192 }),
};
const failed = (thrown: unknown): never => {
  throw thrown;
};

test('a sample has the counts since the previous one, and the current gauges', async () => {
  const stats = new RecentStats(sources, {
    signal: new AbortController().signal,
    report: failed,
    everyMs: 1_000_000,
  });
  for (let ms = 1; ms <= 100; ms++) stats.countCall({ outcome: 'ok', durationMs: ms });
  stats.countCall({ outcome: 'token_invalid', durationMs: 1 });
  stats.countCall({ outcome: 'aborted', durationMs: 1 });
  stats.countCall({ outcome: 'internal', durationMs: 1 });
  stats.countEvents(51);
  await stats.take();
  const [first] = stats.samples(0);
  expect(first).toMatchObject({
    sockets: 3,
    present: 2,
    queueDepth: 1,
    databaseBytes: 4096,
    logBytes: 8192,
    p99Ms: 99,
  });
  expect(first?.requestsPerSecond).toBeCloseTo((first?.refusedPerSecond ?? 0) * 102, 5);
  expect(first?.eventsPerSecond).toBeCloseTo((first?.errorsPerSecond ?? 0) * 51, 5);
  expect(first?.errorsPerSecond).toBeGreaterThan(0);

  await stats.take();
  expect(stats.samples(0)[1]).toMatchObject({ requestsPerSecond: 0, errorsPerSecond: 0, p99Ms: null });
});

test('only the latest minutes are kept', async () => {
  const stats = new RecentStats(sources, {
    signal: new AbortController().signal,
    report: failed,
    everyMs: 1_000_000,
  });
  for (let taken = 0; taken < 160; taken++) await stats.take();
  expect(stats.samples(0)).toHaveLength(150);
  expect(stats.samples(Date.now())).toEqual([]);
});

test('a server reports its recent stats: calls answered and refused, events, its database', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  const read = async () =>
    (await post(`${server.url}/admin/get-server-stats`, {}, bearer(server.adminToken))).body;
  const busy = await until('a sample tells of the calls', async () => {
    await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1 });
    await post(`${server.url}/launcher/set-user-score`, { launcherJwt: 'forged', score: 1 });
    const { samples } = Object(await read());
    return samples.find((sample: { refusedPerSecond: number }) => sample.refusedPerSecond > 0);
  });
  expect(busy).toMatchObject({ errorsPerSecond: 0, sockets: 0, present: 0, queueDepth: 0 });
  expect(busy.requestsPerSecond).toBeGreaterThan(busy.refusedPerSecond);
  expect(busy.eventsPerSecond).toBeGreaterThan(0);
  expect(busy.p99Ms).toBeGreaterThan(0);
  const { database } = dataFiles(server.config.dataDirectory);
  const [file, log] = [database, `${database}-wal`].map((name) => statSync(name).size);
  expect(file).toBeGreaterThan(0);
  expect(log).toBeGreaterThan(0);
  await until('the sizes of the file and of its log are distinguished', async () => {
    const { samples } = Object(await read());
    const { databaseBytes, logBytes } = samples.at(-1);
    return databaseBytes === file && logBytes === log;
  });
});
