import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StatsSample } from '../../src/telemetry/stats.ts';
import { StatsHistory } from '../../src/telemetry/stats-history.ts';
import { freePort } from '../support/free-port.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

const minuteMs = 60_000;
/** The beginning of a step of every range, long enough ago that everything after it is past. */
const base = Math.floor((Date.now() - 6 * 60 * minuteMs) / (30 * minuteMs)) * 30 * minuteMs;

function sample(at: number, changes: Partial<StatsSample> = {}): StatsSample {
  return {
    at,
    sockets: 1,
    present: 1,
    requestsPerSecond: 0,
    refusedPerSecond: 0,
    errorsPerSecond: 0,
    eventsPerSecond: 0,
    p99Ms: null,
    queueDepth: 0,
    databaseBytes: 4_096,
    logBytes: null,
    ...changes,
  };
}

test('a step has the mean of rates, the maximum of gauges and the last of sizes', () => {
  const history = new StatsHistory(null);
  history.add(sample(base, { requestsPerSecond: 10, sockets: 5, databaseBytes: 9_000, p99Ms: 3 }));
  history.add(sample(base + 2_000, { requestsPerSecond: 20, sockets: 2, databaseBytes: 8_000 }));
  history.add(sample(base + 4_000, { requestsPerSecond: 60, sockets: 3, databaseBytes: 8_500, p99Ms: 7 }));
  history.add(sample(base + 3 * minuteMs, { errorsPerSecond: 1 }));
  expect(history.samples('day', 0)).toEqual([
    sample(base, { requestsPerSecond: 30, sockets: 5, databaseBytes: 8_500, p99Ms: 7 }),
    sample(base + 2 * minuteMs, { errorsPerSecond: 1 }),
  ]);
  expect(history.samples('week', 0)).toMatchObject([
    { at: base, requestsPerSecond: 22.5, errorsPerSecond: 0.25 },
  ]);
  expect(history.samples('day', base)).toHaveLength(1);
  expect(history.samples('hour', 0)).toEqual([]);
});

test('a range is no longer than its name says, and older steps are overwritten', () => {
  const history = new StatsHistory(null);
  const now = Date.now();
  for (let at = now - 9 * 24 * 60 * minuteMs; at <= now; at += 5 * minuteMs) history.add(sample(at));
  const lengths = (['hour', 'day', 'week'] as const).map((range) => history.samples(range, 0).length);
  expect(lengths).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
  const [hour = 0, day = 0, week = 0] = lengths;
  expect(hour).toBeGreaterThanOrEqual(11);
  expect(hour).toBeLessThanOrEqual(13);
  expect(day).toBeGreaterThanOrEqual(287);
  expect(day).toBeLessThanOrEqual(289);
  expect(week).toBeGreaterThanOrEqual(671);
  expect(week).toBeLessThanOrEqual(672);
  const oldest = history.samples('week', 0)[0]?.at ?? 0;
  expect(now - oldest).toBeLessThanOrEqual(7 * 24 * 60 * minuteMs);
});

test('the stats are in a small file that the next process continues, killed or not', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'stats-history');
  const first = new StatsHistory(file);
  first.add(sample(base, { requestsPerSecond: 10 }));
  first.close();
  const second = new StatsHistory(file);
  expect(second.samples('day', 0)).toEqual([sample(base, { requestsPerSecond: 10 })]);
  second.add(sample(base + 60_000, { requestsPerSecond: 20 }));
  // Never closed, as when it is killed.
  await until('the file', () => new StatsHistory(file).samples('day', 0)[0]?.requestsPerSecond === 15);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an invalid file is replaced, and where none can be written the stats stay in memory', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'stats-history');
  writeFileSync(file, 'something else');
  const replaced = new StatsHistory(file);
  replaced.add(sample(base));
  replaced.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    columns: expect.arrayContaining(['at', 'count']),
  });
  expect(new StatsHistory(file).samples('week', 0)).toHaveLength(1);
  const nowhere = new StatsHistory(join(directory.path, 'no', 'such', 'place'));
  nowhere.add(sample(base));
  expect(nowhere.samples('week', 0)).toHaveLength(1);
  nowhere.close();
});

const figures = async (url: string, token: string, range: string) => {
  const { body } = await post(`${url}/admin/get-server-stats`, { range }, bearer(token));
  return body as { everyMs: number; samples: StatsSample[] };
};

test('the stats of an hour and a week survive a restart', async () => {
  await using directory = await temporaryDirectory();
  let before: StatsSample[];
  {
    await using server = await startTestServer({ DATA_DIR: directory.path });
    await until(
      'the first step',
      async () => (await figures(server.url, server.adminToken, 'hour')).samples.length > 0,
    );
    before = (await figures(server.url, server.adminToken, 'hour')).samples;
  }
  await using again = await startTestServer({ DATA_DIR: directory.path });
  const { samples, everyMs } = await figures(again.url, again.adminToken, 'hour');
  expect(everyMs).toBe(10_000);
  expect(samples[0]?.at).toBe(before[0]?.at);
  expect((await figures(again.url, again.adminToken, 'week')).everyMs).toBe(900_000);
});

test('of two servers on a data directory, each continues its own stats', async () => {
  await using directory = await temporaryDirectory();
  const env = { DATA_DIR: directory.path, PORT: `${await freePort()}` };
  const wasCalled = async (server: TestServer) =>
    (await figures(server.url, server.adminToken, 'hour')).samples.some((one) => one.requestsPerSecond > 0);
  {
    await using _stoppedLast = await startTestServer({ ...env, PORT: `${await freePort()}` });
    await using called = await startTestServer(env);
    await until('a step with a call', () => wasCalled(called));
  }
  await using again = await startTestServer(env);
  expect(await wasCalled(again)).toBe(true);
});
