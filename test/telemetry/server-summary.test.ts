import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { version } from '../../src/core/version.ts';
import type { NodeRecord } from '../../src/telemetry/nodes.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

interface Summary {
  nodes: NodeRecord[];
  playing: number;
  today: { since: number; sessions: number; players: number };
  storage: { gameId: string; bytes: number; players: number }[];
}

async function summaryOf(server: TestServer, input: object = {}): Promise<Summary> {
  const { status, body } = await post(`${server.url}/admin/server-summary`, input, bearer(server.adminToken));
  expect(status).toBe(200);
  return body as Summary;
}

test("today's sessions and players are counted once, however often they are queried", async () => {
  await using server = await startTestServer();
  const since = Date.now();
  const [orbit, other] = [await server.createGame(), await server.createGame()];
  const empty = await summaryOf(server, { since });
  expect(empty.today).toEqual({ since, sessions: 0, players: 0 });
  const ada = await server.openSession(orbit.gameId);
  await server.openSession(orbit.gameId);
  await server.openSession(other.gameId, ada.wallet);
  expect((await summaryOf(server, { since })).today).toEqual({ since, sessions: 3, players: 2 });
  await server.openSession(other.gameId, ada.wallet);
  expect((await summaryOf(server, { since })).today).toEqual({ since, sessions: 4, players: 2 });
  expect((await summaryOf(server, { since: Date.now() + 60_000 })).today).toMatchObject({ sessions: 0 });
  const { today } = await summaryOf(server, { since: 0 });
  expect(today.since).toBeGreaterThan(Date.now() - 49 * 60 * 60 * 1000); // counted over two days at most
  expect(today.sessions).toBe(4);
});

test('storage is that of the players of each game, most first', async () => {
  await using server = await startTestServer();
  const [small, large] = [await server.createGame(), await server.createGame()];
  const save = async (gameId: string, state: string) => {
    const { launcherJwt } = await server.openSession(gameId);
    await post(`${server.url}/launcher/set-state`, { launcherJwt, label: 'save', state });
  };
  await save(small.gameId, '{}');
  await save(large.gameId, JSON.stringify('x'.repeat(10_000)));
  await save(large.gameId, '{}');
  const { storage } = await summaryOf(server);
  expect(storage).toMatchObject([
    { gameId: large.gameId, players: 2 },
    { gameId: small.gameId, players: 1 },
  ]);
  expect(storage[0]?.bytes).toBeGreaterThan(10_000);
  expect(storage[1]?.bytes).toBeLessThan(2_000);
});

test('players who have a game open are counted once, however many games and devices they have', async () => {
  await using server = await startTestServer();
  const [orbit, other] = [await server.createGame(), await server.createGame()];
  const ada = await server.openSession(orbit.gameId);
  const grace = await server.openSession(orbit.gameId);
  const play = ({ launcherJwt }: TestPlayer) => connectLauncher(server.url, { launcherJwt });
  using _first = await play(ada);
  using _second = await play(ada);
  using _other = await play(await server.openSession(other.gameId, ada.wallet));
  using _grace = await play(grace);
  await until('two play', async () => (await summaryOf(server)).playing === 2);
  const stats = async ({ gameId }: { gameId: string }) =>
    (await post(`${server.url}/admin/get-game-stats`, { gameId }, bearer(server.adminToken))).body;
  expect(await stats(orbit)).toMatchObject({ playing: 1 });
  expect(await stats(other)).toMatchObject({ playing: 1 });
});

test("a game's sessions are counted by days of any length", async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const opened = async (wallet?: string) => {
    const player = await server.openSession(gameId, wallet);
    const { launcherJwt } = player;
    const { body } = await post(`${server.url}/launcher/channel-status`, { launcherJwt });
    const { openedAt: at } = z.object({ openedAt: z.number() }).parse(body);
    await until('another millisecond', () => Date.now() > at);
    return { wallet: player.wallet, at };
  };
  const first = await opened();
  const second = await opened(first.wallet);
  const third = await opened();
  const daysFrom = async (dayStarts: number[]) => {
    const input = { gameId, dayStarts };
    return (await post(`${server.url}/admin/get-game-stats`, input, bearer(server.adminToken))).body;
  };
  const hourMs = 60 * 60 * 1000;
  const [before, after] = [first.at - 14 * 24 * hourMs - hourMs / 2, third.at + 23 * hourMs];
  expect(await daysFrom([before, first.at - 25 * hourMs, first.at, after])).toMatchObject({
    days: [{ at: first.at, sessions: 3, players: 2 }],
  });
  expect(await daysFrom([before, first.at, second.at])).toMatchObject({
    days: [
      { at: first.at, sessions: 1, players: 1 },
      { at: second.at, sessions: 2, players: 2 },
    ],
  });
  expect(await daysFrom([second.at, first.at])).toMatchObject({ errors: [{ path: 'dayStarts' }] });
});

test('a single process reports itself', async () => {
  await using server = await startTestServer();
  const { nodes } = await summaryOf(server);
  expect(nodes).toEqual([
    {
      id: expect.any(String),
      host: expect.any(String),
      pid: process.pid,
      version,
      runtime: process.version,
      startedAt: expect.any(Number),
      sockets: 0,
      requestsPerSecond: expect.any(Number),
      busy: expect.any(Number),
      isThis: true,
    },
  ]);
});

describe.skipIf(redisMissing !== null)(redisMissing ?? 'with a real Redis', () => {
  test('nodes on one Redis know each other, and forget one that has stopped', async () => {
    await using redis = await startRedis();
    await using directory = await temporaryDirectory();
    const settings = { DATA_DIR: directory.path, REDIS_URL: redis.url };
    await using one = await startTestServer(settings);
    const idOf = ({ nodes }: Summary) => nodes.find(({ isThis }) => isThis)?.id;
    {
      await using other = await startTestServer(settings);
      await until('both nodes', async () => (await summaryOf({ ...one, url: other.url })).nodes.length === 2);
      await until('both nodes', async () => (await summaryOf(one)).nodes.length === 2);
      const [here, there] = [await summaryOf(one), await summaryOf({ ...one, url: other.url })];
      expect(new Set(here.nodes.map(({ id }) => id)).size).toBe(2);
      expect(idOf(here)).not.toBe(idOf(there));
    }
    expect((await summaryOf(one)).nodes).toMatchObject([{ isThis: true }]);
  });
});
