import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteFile from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { initial } from '../../src/engines/sqlite/migrations/0001-initial.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { allGames } from '../../src/features/games/queries.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { addGame } from '../contracts/storage/fixture.ts';
import { gantry, gantryJson, runProgram } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const openAtOnce = fileURLToPath(new URL('open-at-once.ts', import.meta.url));

describe('a database written by a newer Gantry', () => {
  test.each(['wal', 'delete'])(
    'is refused with a clear error and left unchanged (journal mode %s)',
    async (mode) => {
      await using directory = await temporaryDirectory();
      const { database } = dataFiles(directory.path);
      const newer = new SqliteFile(database);
      newer.pragma(`journal_mode = ${mode}`);
      newer.exec('CREATE TABLE of_the_future (x)');
      newer.pragma('user_version = 4000');
      newer.close();
      const before = readFileSync(database);

      const { code, stdout, stderr } = await gantry(['game', 'list'], { env: { DATA_DIR: directory.path } });
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(
        /^The database has schema version 4000, and this Gantry knows versions up to \d+\. .+\n$/,
      );
      expect(readFileSync(database).equals(before)).toBe(true);
      expect(() => new SqliteDatabase(database, domain)).toThrow(/schema version 4000/);
      expect(readFileSync(database).equals(before)).toBe(true);
    },
  );
});

describe('a migration', () => {
  test('that fails leaves no trace, and reports its reason', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'gantry.db');
    const inTheWay = new SqliteFile(file);
    inTheWay.exec('CREATE TABLE history (in_the_way)'); // among the last that the first migration creates
    inTheWay.close();
    expect(() => openDatabase(file)).toThrow(/history already exists/);
    const after = new SqliteFile(file);
    expect(after.pragma('user_version', { simple: true })).toBe(0);
    expect(after.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual([
      'history',
    ]);
    after.close();
  });

  test('does not rerun on a database that is up to date', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'gantry.db');
    const first = new SqliteDatabase(file, domain);
    const game = await addGame(first);
    await first.close();
    const second = new SqliteDatabase(file, domain);
    expect(await second.read(allGames)).toEqual([game]);
    await second.close();
  });
});

describe('a database of the first schema', () => {
  test('keeps every score in its order, every place on the leaderboard, and accepts new ones', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'gantry.db');
    const [gameId, ada, bob] = ['0199-game', `0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
    const db = new SqliteFile(file);
    db.exec(initial);
    db.pragma('user_version = 1');
    db.prepare("INSERT INTO games VALUES (?, 'g', 'G', 'game', '', '[]', '{}', '[]', 0, 1)").run(gameId);
    const addPlayerRow = db.prepare('INSERT INTO players (wallet, user_id, created_at) VALUES (?, ?, 1)');
    const addStream = db.prepare(
      'INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, 2, 1, 9)',
    );
    const addScore = db.prepare('INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    const addRow = db.prepare('INSERT INTO board VALUES (?, ?, ?, ?, ?)');
    for (const [number, wallet] of [ada, bob].entries()) {
      addPlayerRow.run(wallet, `user-${number}`);
      addStream.run(`player:${gameId}:${wallet}`, wallet);
      addScore.run(`${number}-first`, gameId, wallet, 'round-1', 10 + number, 100, 300, 2);
      addScore.run(`${number}-second`, gameId, wallet, `made-${number}`, 5, 200, 200, 1);
      addRow.run(gameId, wallet, `${number}-first`, -(10 + number), 100);
    }
    // Enough for the leaderboard's counts, which later schemas have, to have entries.
    const crowd = Array.from({ length: 2_000 }, (_, number) => ({
      wallet: `0xd${number.toString(16).padStart(39, '0')}`,
      id: `crowd-${number.toString(16).padStart(4, '0')}`,
      score: -number,
    }));
    db.transaction(() => {
      for (const { wallet, id, score } of crowd) {
        addPlayerRow.run(wallet, id);
        addStream.run(`player:${gameId}:${wallet}`, wallet);
        addScore.run(id, gameId, wallet, id, score, 100, 300, 1);
        addRow.run(gameId, wallet, id, -score, 100);
      }
    })();
    db.close();

    const store = new SqliteDatabase(file, domain);
    const owner = { gameId, wallet: ada };
    for (const number of [0, 1, 255, 256, 257, 512, 1_024, 1_999]) {
      const { wallet = '', id } = crowd[number] ?? {};
      const place = number + 3; // after the two with more than nothing
      expect(await store.read(readPlace, defaultBoardOf(gameId), wallet)).toBe(place);
      const [row] = await store.read(readBoardPage, defaultBoardOf(gameId), { limit: 1, skip: place - 1 });
      expect(row?._id).toBe(id);
    }
    expect(await store.read(listScores, owner, { limit: 9, skip: 0 })).toEqual([
      {
        _id: '0-first',
        nonce: 'round-1',
        gameId,
        normalizedAddress: ada,
        score: 10,
        updatedAt: 300,
      },
      { _id: '0-second', nonce: 'made-0', gameId, normalizedAddress: ada, score: 5, updatedAt: 200 },
    ]);
    const wallets = async () => {
      const rows = await store.read(readBoardPage, defaultBoardOf(gameId), { limit: 2, skip: 0 });
      return rows.map((row) => [row.normalizedAddress, row.score]);
    };
    expect(await wallets()).toEqual([
      [bob, 11],
      [ada, 10],
    ]);
    expect(await store.write(setScore, owner, 12, 'made-0')).toMatchObject({
      _id: '0-second',
      nonce: 'made-0',
    });
    expect(await wallets()).toEqual([
      [ada, 12],
      [bob, 11],
    ]);
    expect(await store.read(readPlace, defaultBoardOf(owner.gameId), owner.wallet)).toBe(1);
    await store.write(setScore, owner, 1, 'made-0'); // the counted one was lowered: the other one counts again
    expect(await wallets()).toEqual([
      [bob, 11],
      [ada, 10],
    ]);
    await store.close();
  });
});

describe('a fresh database', () => {
  test('can be opened by several processes at the same instant', async () => {
    await using directory = await temporaryDirectory();
    const [rounds, processes] = [60, 4];
    const beginAt = Date.now() + 2_000;
    const outputs = await Promise.all(
      Array.from({ length: processes }, () =>
        runProgram(openAtOnce, [directory.path, `${rounds}`, `${beginAt}`]),
      ),
    );
    expect(outputs.flatMap((output) => JSON.parse(output))).toEqual([]);
    for (let round = 0; round < rounds; round++) {
      const store = new SqliteDatabase(join(directory.path, `${round}.db`), domain);
      expect(await store.read(allGames)).toHaveLength(processes);
      await store.close();
    }
  });
});

describe('a fresh data directory', () => {
  test('is initialized by several processes at the same time, which all read the same', async () => {
    for (let round = 0; round < 2; round++) {
      await using directory = await temporaryDirectory();
      const dataDirectory = join(directory.path, 'data');
      const names = ['One', 'Two', 'Three', 'Four'];
      const created = await Promise.all(
        names.map((name) => gantryJson(['game', 'create', '--name', name], dataDirectory)),
      );
      const listed = (await gantryJson(['game', 'list'], dataDirectory)) as {
        gameId: string;
        name: string;
      }[];
      expect(listed.map(({ name }) => name).sort()).toEqual(names.toSorted());
      expect(listed.map(({ gameId }) => gameId).sort()).toEqual(
        created.map((game) => (game as { gameId: string }).gameId).sort(),
      );
    }
  });

  test('is readable by its owner only, and so are the keys in it', async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, 'made', 'here');
    await gantryJson(['game', 'create', '--name', 'One'], dataDirectory);
    const { tokenKeys, secretKey } = dataFiles(dataDirectory);
    expect(modeOf(dataDirectory)).toBe(0o700);
    expect(modeOf(tokenKeys)).toBe(0o600);
    expect(modeOf(secretKey)).toBe(0o600);
    expect(readdirSync(dataDirectory).sort()).toEqual(['gantry.db', 'secret.key', 'token-keys.json']);
  });

  test('created earlier is filled the same way, and its keys are read, not recreated', async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, 'data');
    mkdirSync(dataDirectory, { mode: 0o755 });
    await gantryJson(['game', 'create', '--name', 'One'], dataDirectory);
    const { tokenKeys, secretKey } = dataFiles(dataDirectory);
    const keys = [tokenKeys, secretKey].map((file) => readFileSync(file, 'utf8'));
    await gantryJson(['game', 'list'], dataDirectory);
    expect([tokenKeys, secretKey].map((file) => readFileSync(file, 'utf8'))).toEqual(keys);
    expect([tokenKeys, secretKey].map(modeOf)).toEqual([0o600, 0o600]);
  });
});

test('a file that is not a database is refused with a clear error and left unchanged', async () => {
  await using directory = await temporaryDirectory();
  const { database } = dataFiles(directory.path);
  const content = 'this is somebody’s letter, not a database\n'.repeat(200);
  writeFileSync(database, content);
  const { code, stderr } = await gantry(['game', 'list'], { env: { DATA_DIR: directory.path } });
  expect(code).toBe(1);
  expect(stderr).toContain(database);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(readFileSync(database, 'utf8')).toBe(content);
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
