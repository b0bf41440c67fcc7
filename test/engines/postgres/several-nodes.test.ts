import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/core/config-error.ts';
import { get, post } from '../../support/http.ts';
import { freshDatabase, noPostgres, PostgresServer } from '../../support/postgres.ts';
import { redisMissing, startRedis } from '../../support/redis.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { gantry } from '../../support/warm-gantry.ts';

const secretKey = '5e'.repeat(32);

test.skipIf(noPostgres !== null)(
  'a second node without REDIS_URL does not start, commands do, and so does a node once the first has stopped',
  async () => {
    await using database = await freshDatabase();
    const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey };
    const first = await startTestServer(env);
    await first.createGame({ name: 'Space Race' });
    const second = startTestServer(env);
    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(/^Another node is already using this database\. Set REDIS_URL/);
    const made = await gantry(['game', 'create', '--name', 'Rapids', '--json'], { env });
    expect([made.code, made.stderr]).toEqual([0, '']);
    await first.close();
    await using _third = await startTestServer(env);
  },
);

test.skipIf(noPostgres !== null || redisMissing !== null)(
  'nodes that get no response from PostgreSQL refuse with 503 and Retry-After, and recover automatically',
  async () => {
    await using postgres = await PostgresServer.start({ fsync: true });
    await using redis = await startRedis();
    const env = { DATABASE_URL: postgres.url(), GANTRY_SECRET_KEY: secretKey, REDIS_URL: redis.url };
    await using one = await startTestServer(env);
    await using other = await startTestServer(env);
    const nodes = [one, other];
    const { gameId } = await one.createGame();
    const { launcherJwt } = await one.openSession(gameId);
    const set = ({ url }: TestServer, score: number) =>
      post(`${url}/launcher/set-user-score`, { launcherJwt, score, nonce: `n-${score}` });
    const scoresOn = ({ url }: TestServer) =>
      post(`${url}/launcher/get-user-scores`, { launcherJwt, limit: 100, skip: 0 });
    const readiness = async ({ url }: TestServer) => {
      const { status, headers, body } = await get(`${url}/readyz`);
      return { status, retryAfter: headers.get('retry-after'), ...Object(body) };
    };
    const allReady = () =>
      until('both ready', async () => {
        const found = await Promise.all(nodes.map(readiness));
        return found.every(({ status }) => status === 'ready');
      });
    await allReady();
    const answered: number[] = [];
    let next = 1;
    const isAnswered = async (node: TestServer) => {
      const score = next++;
      const { status } = await set(node, score);
      if (status === 200) answered.push(score);
      return status === 200;
    };
    for (const node of nodes) expect(await isAnswered(node)).toBe(true);

    const outages: [string, () => unknown, () => unknown][] = [
      ['freezes', () => postgres.freeze(), () => postgres.thaw()],
      ['ends', () => postgres.kill(), () => postgres.start()],
    ];
    for (const [, begin, end] of outages) {
      await begin();
      await until('both not ready', async () => {
        const found = await Promise.all(nodes.map(readiness));
        return found.every(({ code }) => code === 503);
      });
      for (const node of nodes) {
        expect(await readiness(node)).toMatchObject({
          status: 503,
          retryAfter: '1',
          message: expect.stringMatching(/^PostgreSQL cannot be reached: /),
          data: { reason: 'not_ready' },
          database: 'unavailable',
          redis: 'ready',
        });
        for (const answer of [await scoresOn(node), await set(node, next++)]) {
          expect(answer).toMatchObject({ status: 503, body: { data: { reason: 'store_unavailable' } } });
          expect(answer.headers.get('retry-after')).toBe('1');
        }
      }
      await end();
      await allReady();
      for (const node of nodes) await until('a write', () => isAnswered(node));
    }
    for (const node of nodes) {
      const { body } = await scoresOn(node);
      const there = Object(body).scores.map(({ score }: { score: number }) => score);
      expect(there).toEqual(expect.arrayContaining(answered));
    }
  },
);
