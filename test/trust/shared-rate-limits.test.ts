import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { redisMissing, startRedis, type TestRedis } from '../support/redis.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const points = 7;
const anything = z.unknown();

const title = redisMissing === null ? 'two nodes on one Redis' : `two nodes on one Redis (${redisMissing})`;

describe.skipIf(redisMissing !== null)(title, () => {
  let redis: TestRedis;
  let directory: TemporaryDirectory;
  let nodes: readonly [TestServer, TestServer];
  let gameId: string;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const startNode = () =>
      startTestServer({
        DATA_DIR: directory.path,
        REDIS_URL: redis.url,
        RATE_LIMIT_FACTOR: '1',
        ADMIN_TOKEN: 'the-admin-token-of-this-suite',
      });
    nodes = [await startNode(), await startNode()];
    await redisReached();
    const limit = { points, seconds: 600 };
    ({ gameId } = await nodes[0].createGame({ policies: { limits: { read: limit, write: limit } } }));
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await directory[Symbol.asyncDispose]();
  });

  const readiness = async (node: TestServer) => (await apiOf(node).get('/readyz')).body;
  const redisReached = async () => {
    for (const node of nodes)
      await until('Redis reached', async () => Object(await readiness(node)).status === 'ready');
  };

  /** Sets fifty scores concurrently on each of these nodes; returns how many were executed in total. */
  async function acceptedOn(some: readonly TestServer[], launcherJwt: string): Promise<number> {
    const answers = await Promise.all(
      some.flatMap((node) =>
        Array.from({ length: 50 }, () =>
          apiOf(node).post('/launcher/set-user-score', { launcherJwt, score: 1 }),
        ),
      ),
    );
    const good = answers.filter((answer) => answer.status === 200);
    for (const answer of answers) {
      if (good.includes(answer)) continue;
      refused(answer, 429, 'rate_limited');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    return good.length;
  }

  it('count the calls of a token together', async () => {
    const { launcherJwt } = await nodes[0].openSession(gameId);
    expect(await acceptedOn(nodes, launcherJwt)).toBe(points);
  });

  it('count calls over HTTP on one and over the socket on the other together', async () => {
    const { launcherJwt } = await nodes[0].openSession(gameId);
    expect(await acceptedOn([nodes[0]], launcherJwt)).toBe(points);
    using launcher = await connectLauncher(nodes[1].url, { launcherJwt });
    await expect(launcher.call('setUserScore', { score: 1 })).rejects.toMatchObject({ code: 429 });
  });

  it('count sign-ins of an address together', async () => {
    const begin = (node: TestServer) =>
      apiOf(node).post('/launcher/create-unverified-channel', { gameId, wallet: randomWallet() });
    const answers = await Promise.all(nodes.flatMap((node) => Array.from({ length: 65 }, () => begin(node))));
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array.from({ length: 120 }, () => 200),
      ...Array.from({ length: 10 }, () => 429),
    ]);
  });

  it('count what calls cost together', async () => {
    const wallets = Array.from({ length: 20 }, randomWallet); // 5 reads
    const read = (node: TestServer) =>
      apiOf(node).post('/launcher/get-leaderboard-among', { gameId, wallets });
    accepted(await read(nodes[0]), anything);
    refused(await read(nodes[1]), 429, 'rate_limited');
  });

  it('each keep limiting separately when Redis is killed, and together again when it is back', async () => {
    const [before, during, after] = [
      await nodes[0].openSession(gameId),
      await nodes[0].openSession(gameId),
      await nodes[0].openSession(gameId),
    ];
    expect(await acceptedOn(nodes, before.launcherJwt)).toBe(points);

    await redis.kill();
    for (const node of nodes) expect(await acceptedOn([node], during.launcherJwt)).toBe(points);
    for (const node of nodes) {
      expect(await acceptedOn([node], during.launcherJwt)).toBe(0);
      accepted(await apiOf(node).get('/activities'), anything);
      expect(await readiness(node)).toMatchObject({ status: 'degraded' });
    }

    await redis.start();
    await redisReached();
    expect(await acceptedOn(nodes, after.launcherJwt)).toBe(points);
  });

  it('keep limiting when Redis is killed meanwhile', async () => {
    const { launcherJwt } = await nodes[0].openSession(gameId);
    const [accepting] = await Promise.all([acceptedOn(nodes, launcherJwt), redis.kill()]);
    expect(accepting).toBeLessThanOrEqual(3 * points); // Redis's count, and each node's own
    expect(accepting).toBeGreaterThanOrEqual(points);
    await redis.start();
    await redisReached();
  });
});
