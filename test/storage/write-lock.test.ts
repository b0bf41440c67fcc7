import { describe, expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { addGame, addPlayer, wholePage } from '../contracts/storage/fixture.ts';
import { get, post } from '../support/http.ts';
import { holdWriteLock } from '../support/other-connection.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

/** Three busy timeouts of 250 ms: room for a slow machine, and far below the default of 5 s. */
const longestStandstillMs = 750;

describe('while another process holds the write lock', () => {
  test('writes wait and then execute, in order, and reads and the event loop continue', async () => {
    await using fixture = await openSqliteDatabase();
    const { db } = fixture;
    const { id: gameId } = await addGame(db);
    const ada = await addPlayer(db, gameId);
    using other = holdWriteLock(fixture.file);
    using loop = watchEventLoop();

    let answered = 0;
    const writes = Array.from({ length: 20 }, (_, n) =>
      db.write(setScore, ada, n, `n-${n}`).then((record) => {
        answered++;
        return record.score;
      }),
    );
    for (let read = 0; read < 5; read++) {
      expect(await db.read(listScores, ada, wholePage)).toEqual([]);
      await loop.turn();
    }
    expect(answered).toBe(0);
    other.letGo();
    expect(await Promise.all(writes)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(loop.longestStandstillMs()).toBeLessThan(longestStandstillMs);
  });

  test('a caller is answered 503 when it lasts too long, other calls continue, and writes resume after', async () => {
    await using server = await startTestServer();
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const setScore = () => post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1 });
    const readiness = async () => (await get(`${server.url}/readyz`)).body;
    const other = holdWriteLock(dataFiles(server.config.dataDirectory).database);
    using loop = watchEventLoop();
    try {
      const refused = setScore();
      const read = await post(`${server.url}/launcher/get-user-scores`, { launcherJwt });
      expect(read).toMatchObject({ status: 200, body: { scores: [] } });
      expect(await get(`${server.url}/healthz`)).toMatchObject({ status: 200 });
      const { status, body } = await refused;
      expect(status).toBe(503);
      expect(body).toMatchObject({
        success: false,
        name: 'Unavailable',
        code: 503,
        className: 'unavailable',
        data: { reason: 'store_unavailable' },
      });
      expect(JSON.stringify(body)).not.toMatch(/sqlite|locked|busy|SELECT|BEGIN/i);
      expect(loop.longestStandstillMs()).toBeLessThan(longestStandstillMs);
      expect(await readiness()).toEqual({
        status: 'degraded',
        database: 'degraded',
        redis: 'none',
        reason: expect.stringMatching(/^Another process holds the write lock of the database/),
      });
    } finally {
      other[Symbol.dispose]();
    }
    await until(
      'it reports ready again automatically',
      async () => Object(await readiness()).status === 'ready',
    );
    expect(await setScore()).toMatchObject({ status: 200, body: { success: true } });
    const scores = await post(`${server.url}/launcher/get-user-scores`, { launcherJwt });
    expect(scores.body).toMatchObject({ scores: [{ score: 1 }] }); // and not the refused one in addition
    expect((scores.body as { scores: unknown[] }).scores).toHaveLength(1);
  });
});

/** Measures the longest time between two turns of this process's event loop. */
function watchEventLoop() {
  let longest = 0;
  let last = performance.now();
  let watching = true;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    longestStandstillMs: () => longest,
    turn: () => new Promise<void>((resolve) => setImmediate(resolve)),
    [Symbol.dispose]() {
      watching = false;
    },
  };
}
