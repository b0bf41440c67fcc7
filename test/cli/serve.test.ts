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
import { type JwtObject, readJwt } from '../support/jwt-parts.ts';
import { connectLauncher } from '../support/launcher.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

// Each test starts several processes, in parallel with other tests.
describe.concurrent('gantry serve', () => {
  test('prints where to go, and a command that works when pasted into a shell', async () => {
    await using directory = await temporaryDirectory();
    await using server = await serveGantry(directory.path, {}, { asWritten: true });
    const { gameId, token, printed } = await welcomeOf(server);
    expect(printed).toContain(`Gantry listening on ${server.url}\n`);
    expect(printed).toMatch(/Admin token +gat_\S+ {2}\(shown only once\)/);
    for (const path of ['play', 'docs']) expect(printed).toContain(` ${server.url}/${path}\n`);
    expect(printed).toContain(`await connect({ url: '${server.url}', game: 'demo-game' });`);
    expect(printed).not.toContain('eyJ');
    expect(launcherJwtIn(await paste(token))).toMatchObject({ gameId, username: 'Ada' });
  });

  test('signs in to the console by its link: once, as an owner, also with an admin token of our own', async () => {
    await using directory = await temporaryDirectory();
    const adminToken = 'a-token-of-our-own';
    await using server = await serveGantry(directory.path, { ADMIN_TOKEN: adminToken });
    const { code, printed } = await welcomeOf(server);
    expect(printed).not.toContain(adminToken);
    const signIn = (by: string) => post(`${server.url}/console/sign-in`, {}, bearer(by));
    const whoAmI = (by: string) => post(`${server.url}/admin/who-am-i`, {}, bearer(by));
    expect((await whoAmI(code)).status).toBe(401);
    const { status, body } = await signIn(code);
    const { token, expiresAt } = body as { token: string; expiresAt: number };
    expect(status).toBe(200);
    expect(await whoAmI(token)).toMatchObject({ status: 200, body: { role: 'owner', expiresAt } });
    for (const used of [code, token, adminToken, 'x']) {
      expect(await signIn(used)).toMatchObject({
        status: 401,
        body: { data: { reason: 'admin_token_invalid' } },
      });
    }
    await server.end('SIGTERM');
    await using again = await serveGantry(directory.path, { ADMIN_TOKEN: adminToken });
    expect((await post(`${again.url}/admin/who-am-i`, {}, bearer(token))).status).toBe(401);
  });

  test('demo prints a token, and calls with it to paste', async () => {
    await using server = await serveGantry('', {}, { command: 'demo' });
    const { gameId, printed } = await welcomeOf(server);
    const launcherJwt = await until('the token', () => /launcherJwt +(\S+)/.exec(server.output.stdout)?.[1]);
    const line = (of: RegExp) => until('a call', () => of.exec(server.output.stdout)?.[1]);
    const set = JSON.parse(await paste(await line(/^ *(curl .*set-user-score.*)$/m)));
    const wallet = /--wallet (0x\w+)/.exec(printed)?.[1];
    expect(set).toMatchObject({
      success: true,
      newScore: { gameId, normalizedAddress: wallet, score: 1600, nonce: expect.any(String) },
    });
    expect(readJwt(launcherJwt).payload).toMatchObject({ gameId, address: wallet });
    const board = JSON.parse(await paste(await line(/^ *(curl .*getGameScoresLeaderboard.*)$/m)));
    const scores = board.leaderboard.map((row: { score: number }) => row.score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect(board.leaderboard).toHaveLength(5);
    expect(board.leaderboard[1]).toMatchObject({ normalizedAddress: wallet, score: 1600, username: 'Ada' });
    expect((await server.end('SIGTERM')).code).toBe(0);
  });

  test('keeps everything at the next start: seeds nothing twice, and its command works again', async () => {
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
    expect((await second.end('SIGTERM')).code).toBe(0);
  });

  test('creates and prints no demo when GANTRY_DEMO=off', async () => {
    await using directory = await temporaryDirectory();
    await using server = await serveGantry(directory.path, {
      GANTRY_DEMO: 'off',
      ADMIN_TOKEN: 'a-token-of-our-own',
    });
    expect(await gantryJson(['game', 'list'], directory.path)).toEqual([]);
    await until('the addresses', () => server.output.stdout.endsWith('/docs\n'));
    expect(server.output.stdout.trim().split(/\n+/)).toHaveLength(4);
  });

  test('warns once, beside another server on its data directory without Redis, and doctor does too', async () => {
    await using directory = await temporaryDirectory();
    const doctor = async () => (await gantry(['doctor'], { env: { DATA_DIR: directory.path } })).stdout;
    await using first = await serveGantry(directory.path);
    expect(await doctor()).toMatch(/^ok +redis +not configured: single node$/m);
    await using second = await serveGantry(directory.path);
    const warnings = second.output.stderr.trim().split('\n');
    expect(warnings).toEqual([expect.stringMatching(/REDIS_URL is not set\. .* Set REDIS_URL to the same/)]);
    expect(warnings[0]).toContain(`${first.url} is a server on the same data directory`);
    expect(first.output.stderr).toBe('');
    expect(await doctor()).toMatch(
      /^warning +redis +not configured, with several servers .*\n +→ .* Set REDIS_URL to the same Redis for both/m,
    );
    await first.end('SIGKILL');
    expect(await doctor()).toMatch(/^ok +redis +not configured: single node$/m);
    await using third = await serveGantry(directory.path, { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(third.output.stderr).not.toContain('REDIS_URL is not set');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s, also while a launcher is connected',
    async (signal) => {
      await using directory = await temporaryDirectory();
      await using server = await serveGantry(directory.path);
      const { gameId } = await welcomeOf(server);
      const { body } = await post(`${server.url}/launcher/create-guest`, { gameId });
      const { launcherJwt } = body as { launcherJwt: string };
      using launcher = await connectLauncher(server.url, { launcherJwt });
      await post(`${server.url}/launcher/channel-heartbeat`, { launcherJwt }); // leaves a kept-alive connection
      const { code, stderr } = await server.end(signal);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await until('the launcher notices', () => launcher.socket.disconnected);
    },
  );

  // With a Redis, which may be away, more is running by then: without an end, the process would stay.
  test.each([
    ['without Redis', {}],
    ['with a Redis that is away', { REDIS_URL: 'redis://127.0.0.1:1' }],
  ])('says in a sentence that its port is in use, and ends, %s', async (_, redis) => {
    await using directory = await temporaryDirectory();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const env = { DATA_DIR: directory.path, PORT: `${port}`, ...redis };
    const { code, stderr } = await gantry(['serve'], { env });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(String(port));
    expect(stderr.replaceAll(/^\{.*\}$/gm, '')).not.toMatch(/^\s+at /m);
  });
});

/** What `gantry serve`, or `gantry demo`, prints for a newcomer, as a person reads it. */
async function welcomeOf(server: GantryProcess) {
  const printed = await until('the welcome is printed', () =>
    server.output.stdout.includes(' token --game ') ? server.output.stdout : null,
  );
  const read = (what: RegExp): string => {
    const found = what.exec(printed)?.[1];
    if (found === undefined) throw new Error(`${what} is not in what was printed:\n${printed}`);
    return found;
  };
  return {
    gameId: read(/Demo game +(\S+) {2}\(slug: demo-game\)$/m),
    token: read(/^ *(DATA_DIR=\S+ npm .*-- token.*)$/m),
    code: read(/^ *Console +http\S+\/console#sign-in=(\S+) /m),
    printed,
  };
}

/** Runs a printed line in a shell, in the repository, as a user who pastes it does. */
async function paste(line: string): Promise<string> {
  return (await promisify(execFile)('bash', ['-c', line], { cwd: repository })).stdout;
}

/** The claims of the token that `gantry token` printed. */
function launcherJwtIn(printed: string): JwtObject {
  return readJwt(/launcherJwt +(ey\S+)/.exec(printed)?.[1] ?? '').payload;
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
