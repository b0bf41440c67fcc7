import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import {
  type GantryProcess,
  gantry,
  gantryJson,
  repository,
  serveGantry,
} from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

// Each test starts several processes, in parallel with other tests.
describe.concurrent('gantry serve', () => {
  test('prints lines for a newcomer that work when pasted into a shell', async () => {
    await using directory = await temporaryDirectory();
    await using server = await serveGantry(directory.path, {}, { asWritten: true });
    const { gameId, player, lines } = await welcomeOf(server);
    expect(server.output.stdout).toContain(`Gantry listening on ${server.url}\n`);

    const set = JSON.parse(await paste(lines.setScore, directory.path));
    expect(set).toMatchObject({
      success: true,
      newScore: {
        gameId,
        normalizedAddress: player,
        score: 1600,
        nonce: expect.any(String),
        _id: expect.any(String),
      },
    });
    const board = JSON.parse(await paste(lines.leaderboard, directory.path));
    expect(board.success).toBe(true);
    expect(board.leaderboard).toHaveLength(5);
    const scores = board.leaderboard.map((row: { score: number }) => row.score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect(board.leaderboard[1]).toMatchObject({ normalizedAddress: player, score: 1600, username: 'Ada' });
    for (const row of board.leaderboard) {
      expect(row.username).not.toBe('');
      expect(row.avatar).toMatch(/^http/);
    }
    const token = await paste(lines.token, directory.path);
    expect(token).toMatch(/launcherJwt +ey\S+/);
  });

  test('keeps everything at the next start: seeds nothing twice, and its lines work again', async () => {
    await using directory = await temporaryDirectory();
    const first = await serveGantry(directory.path);
    const shownFirst = await welcomeOf(first);
    expect((await first.end('SIGTERM')).code).toBe(0);
    const before = rowCounts(directory.path);
    expect(before).toMatchObject({
      games: 2,
      players: 5,
      scores: 5,
      activities: 5,
      message_channels: 1,
      messages: 2,
    });

    await using second = await serveGantry(directory.path);
    const shown = await welcomeOf(second);
    expect(rowCounts(directory.path)).toEqual(before);
    expect(shown.gameId).toBe(shownFirst.gameId);
    expect(shown.player).toBe(shownFirst.player);
    expect(JSON.parse(await paste(shown.lines.setScore, directory.path))).toMatchObject({ success: true });
    expect((await second.end('SIGTERM')).code).toBe(0);
  });

  test('creates and prints no demo when GANTRY_DEMO=off', async () => {
    await using directory = await temporaryDirectory();
    await using server = await serveGantry(directory.path, {
      GANTRY_DEMO: 'off',
      ADMIN_TOKEN: 'a-token-of-our-own',
    });
    expect(await gantryJson(['game', 'list'], directory.path)).toEqual([]);
    expect(server.output.stdout).toBe(`Gantry listening on ${server.url}\n`);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s, also while a launcher is connected',
    async (signal) => {
      await using directory = await temporaryDirectory();
      await using server = await serveGantry(directory.path);
      const { launcherJwt } = await welcomeOf(server);
      using launcher = await connectLauncher(server.url, { launcherJwt });
      await post(`${server.url}/launcher/channel-heartbeat`, { launcherJwt }); // leaves a kept-alive connection
      const { code, stderr } = await server.end(signal);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await until('the launcher notices', () => launcher.socket.disconnected);
    },
  );

  test('says in a sentence that its port is in use', async () => {
    await using directory = await temporaryDirectory();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await gantry(['serve'], { env: { DATA_DIR: directory.path, PORT: `${port}` } });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(String(port));
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

/** What `gantry serve` prints for a newcomer, as a person reads it. */
async function welcomeOf(server: GantryProcess) {
  const printed = await until('the welcome is printed', () =>
    server.output.stdout.includes('-- token') ? server.output.stdout : null,
  );
  const read = (what: RegExp): string => {
    const found = what.exec(printed)?.[1];
    if (found === undefined) throw new Error(`${what} is not in what was printed:\n${printed}`);
    return found;
  };
  return {
    gameId: read(/Demo game +(\S+)/),
    player: read(/Demo player +\w+ (0x\w+)/),
    launcherJwt: read(/launcherJwt +(\S+)/),
    lines: {
      setScore: read(/^ *(curl .*set-user-score.*)$/m),
      leaderboard: read(/^ *(curl .*getGameScoresLeaderboard.*)$/m),
      token: read(/^ *(npm .*-- token.*)$/m),
    },
  };
}

/** Runs a printed line in a shell, in the repository, as a user who pastes it does. */
async function paste(line: string, dataDirectory: string): Promise<string> {
  const env = { ...process.env, DATA_DIR: dataDirectory };
  return (await promisify(execFile)('bash', ['-c', line], { cwd: repository, env })).stdout;
}

/** How many rows each table has. */
function rowCounts(dataDirectory: string): Record<string, number> {
  const db = new SqliteDatabase(dataFiles(dataDirectory).database, { readonly: true });
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  const counts = tables.map((table) => [table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]);
  db.close();
  return Object.fromEntries(counts);
}
