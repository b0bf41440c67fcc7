import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { get, post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

/** A server on a directory, and a call that writes. */
async function started(data: string) {
  const server = await startTestServer({ DATA_DIR: data });
  const { gameId } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  let last = 0;
  const write = () => post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: ++last });
  expect((await write()).status).toBe(200);
  return { server, write, gameId };
}

const readiness = async (server: TestServer) => {
  const { status, body } = await get(`${server.url}/readyz`);
  return { status, body };
};

async function expectRefusal(server: TestServer, write: () => ReturnType<typeof post>): Promise<void> {
  const begunAt = performance.now();
  await until('writes refused', async () => (await write()).status === 503);
  expect(performance.now() - begunAt).toBeLessThan(1_000);
  expect(await write()).toMatchObject({ status: 503, body: { data: { reason: 'store_unavailable' } } });
  await until('the server not ready', async () => (await readiness(server)).status === 503);
  expect((await readiness(server)).body).toMatchObject({
    data: { reason: 'not_ready' },
    message: expect.stringMatching(/^The database is gone .* restore a backup\.$/),
  });
  expect(await get(`${server.url}/healthz`)).toMatchObject({ status: 200 });
}

test('when a data directory is deleted under a running server, writes are refused within a second', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  const { server, write, gameId } = await started(data);
  await using _server = server;
  rmSync(data, { recursive: true });
  await expectRefusal(server, write);
  const board = await post(`${server.url}/launcher/get-game-scores-leaderboard`, { gameId });
  expect(board.status).toBe(200); // what was read before can still be read
  await server.close();
  expect(readdirSync(directory.path)).toEqual([]);
});

test('one that was moved away and back accepts writes again, which survive a restart', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  const away = join(directory.path, 'away');
  const { server, write, gameId } = await started(data);
  renameSync(data, away);
  await expectRefusal(server, write);
  renameSync(away, data);
  await until('writes accepted', async () => (await write()).status === 200);
  await until('the server ready', async () => (await readiness(server)).status === 200);
  const { body } = await write();
  expect(body).toMatchObject({ success: true });
  await server.close();
  await using again = await startTestServer({ DATA_DIR: data });
  const board = await post(`${again.url}/launcher/get-game-scores-leaderboard`, { gameId });
  expect(board.body).toMatchObject({
    leaderboard: [{ score: Object(Object(body).newScore).score }],
  });
});

test.each([
  ['the database', (database: string) => database],
  ['the write-ahead log', (database: string) => `${database}-wal`],
])('%s replaced by a copy of itself is a different file: writes are refused', async (_, of) => {
  await using directory = await temporaryDirectory();
  const { server, write } = await started(directory.path);
  await using _server = server;
  const file = of(dataFiles(directory.path).database);
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  await expectRefusal(server, write);
});
