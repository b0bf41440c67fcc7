import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { playerKeyOf } from '../../src/features/guests/commands.ts';
import { gantryProgram, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';
import { countsOf, otherPlayer, writeExport } from './fixtures.ts';
import { importedIn } from './imported.ts';

const count = 300;

test('the command imports into the directory of a running server, where a player is present at once', async () => {
  await using directory = await temporaryDirectory();
  const [data, files, refusals] = ['data', 'files', 'files/refused.ndjson'].map((name) =>
    join(directory.path, name),
  );
  if (!data || !files || !refusals) throw new Error('no paths');
  await using server = await serveGantry(data, { GANTRY_DEMO: 'off' });
  const created = await gantryJson(['game', 'create', '--name', 'Race', '--slug', 'race'], data);
  const { gameSecret } = created as { gameSecret: string };
  writeExport('nakama', files, 50);
  writeFileSync(join(files, 'storage.csv'), 'collection,key,user_id,value,read\nsaves,slot,no-one,{},1\n');
  const options = ['--game', 'race', '--refusals', refusals];
  const dry = await gantryJson(['import-from', 'nakama', files, ...options, '--dry-run'], data);
  const imported = await gantryJson(['import-from', 'nakama', files, ...options], data);
  expect(dry).toMatchObject({ dryRun: true, refused: 1, refusals, counts: { players: { new: 50 } } });
  // The list of the dry run is in the folder, and is not read.
  expect(JSON.stringify(imported)).not.toContain('"what":"refused');
  expect(imported).toMatchObject({ dryRun: false, refused: 1, counts: { players: { new: 50 } } });
  expect(statSync(refusals).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(refusals, 'utf8'))).toEqual({
    file: join(files, 'storage.csv'),
    line: 2,
    reason: 'the player no-one is not among the players',
  });

  // The next run is about other files, and refuses none of them: the list is not its result.
  const complete = join(directory.path, 'complete');
  writeExport('nakama', complete, 1);
  const again = await gantryJson(['import-from', 'nakama', complete, ...options], data);
  expect(again).toMatchObject({ refused: 0 });
  expect(existsSync(refusals)).toBe(false);
  // Anything else is not replaced by a list.
  const users = join(files, 'users.csv');
  for (const other of [users, dataFiles(data).secretKey]) {
    const before = readFileSync(other);
    const kept = await gantry(
      ['import-from', 'nakama', complete, '--game', 'race', '--dry-run', '--refusals', other],
      { env: { DATA_DIR: data } },
    );
    expect(kept).toMatchObject({ code: 1, stdout: '' });
    expect(kept.stderr).toMatch(/users\.csv exists and is not a list of refused rows|is a file of the data/);
    expect(readFileSync(other).equals(before)).toBe(true);
  }

  const { id, name, score } = otherPlayer(3);
  const vouched = await post(
    `${server.url}/launcher/vouch-for-player`,
    { playerId: `nakama:${id}` },
    { Authorization: `Bearer ${gameSecret}` },
  );
  expect(vouched.body).toMatchObject({ isNew: false, isGuest: true });
  const { launcherJwt } = vouched.body as { launcherJwt: string };
  const scores = await post(`${server.url}/launcher/get-user-scores`, {
    launcherJwt,
    leaderboard: 'high-score',
  });
  expect(scores.body).toMatchObject({ scores: [{ score }] });
  const board = await gantryJson(['leaderboard', 'high-score', '--game', 'race', '--limit', '50'], data);
  expect(board).toContainEqual(expect.objectContaining({ username: name, score }));

  const listed = await gantry(['import-from', 'nakama', files, ...options], { env: { DATA_DIR: data } });
  expect(listed.stdout).toMatch(/players\s+50\s+0\s+0\s+50\s+0\s+0\n/);
  expect(listed.stdout).toContain('Refused rows: 1,');
  const refused = await gantry(['import-from', 'nakama', join(files, 'missing'), ...options], {
    env: { DATA_DIR: data },
  });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('There is no file')]);
});

test('an import that was killed leaves no player half-written, and another run ends with the same as one in one go', async () => {
  await using directory = await temporaryDirectory();
  const files = join(directory.path, 'files');
  writeExport('ndjson', files, count);
  const importInto = async (data: string, isKilled: boolean) => {
    const created = await gantryJson(['game', 'create', '--name', 'Race', '--slug', 'race'], data);
    const { gameId } = created as { gameId: string };
    const keys = new Map(
      Array.from({ length: count }, (_, index) => [playerKeyOf(gameId, otherPlayer(index).id), index]),
    );
    const { database } = dataFiles(data);
    const args = ['import-from', 'ndjson', files, '--game', 'race', '--json'];
    const env = { DATA_DIR: data };
    const state = () => importedIn(database, new Set(keys.keys()));
    if (isKilled) {
      const running = spawn(process.execPath, [gantryProgram, ...args], { env: { ...process.env, ...env } });
      const ended = once(running, 'exit');
      await until('some players are written', () => state().players.length > 0);
      running.kill('SIGKILL');
      await ended;
      const { players, scores, states } = state();
      expect([scores.length, states.length]).toEqual([2 * players.length, players.length]);
    }
    const { code, stdout } = await gantry(args, { env });
    expect(code).toBe(0);
    const { friends, blocks } = countsOf(count, { hasBlocks: true });
    expect(JSON.parse(stdout)).toMatchObject({
      refused: 0,
      counts: { friends: { inSource: friends }, blocks: { inSource: blocks } },
    });
    // Ids of the game are part of the keys.
    const named = JSON.stringify(state(), (_, value) => (keys.has(value) ? keys.get(value) : value));
    return JSON.parse(named) as Record<string, object[]>;
  };
  const sorted = (all: Record<string, object[]>) =>
    Object.fromEntries(
      Object.entries(all).map(([kind, rows]) => [
        kind,
        Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).toSorted() : rows,
      ]),
    );
  const killed = await importInto(join(directory.path, 'killed'), true);
  expect(sorted(killed)).toEqual(sorted(await importInto(join(directory.path, 'whole'), false)));
});

test.skipIf(noPostgres !== null)('into PostgreSQL, twice: the second time nothing changes', async () => {
  await using database = await freshDatabase();
  await using directory = await temporaryDirectory();
  writeExport('csv', directory.path, 60);
  const env = { DATABASE_URL: database.url, GANTRY_SECRET_KEY: '5e'.repeat(32) };
  await gantry(['game', 'create', '--name', 'Race', '--slug', 'race'], { env });
  for (const outcome of ['new', 'unchanged']) {
    const { stdout, stderr } = await gantry(
      ['import-from', 'csv', directory.path, '--game', 'race', '--json'],
      { env },
    );
    expect(stderr).toBe('');
    const { counts } = JSON.parse(stdout) as { counts: Record<string, Record<string, number>> };
    for (const [kind, expected] of Object.entries(countsOf(60, { hasBlocks: true }))) {
      expect([kind, counts[kind]?.[outcome]]).toEqual([kind, expected]);
    }
  }
});
