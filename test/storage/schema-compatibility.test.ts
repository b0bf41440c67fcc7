import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  contract,
  expand,
  isAdmitted,
  oldestCompatible,
  planUpgrade,
} from '../../src/core/storage/migrations.ts';
import { schemaVersion } from '../../src/engines/postgres/migrate.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { latestSchema } from '../../src/engines/sqlite/migrate.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { allGames } from '../../src/features/games/queries.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { addGame } from '../contracts/storage/fixture.ts';
import { gantry, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

describe('migrations', () => {
  const first = contract(2, { first: 1, second: 2 });
  const expanded = [...first, ...expand({ newNames: 3 })];
  const contracted = [...expanded, ...contract(3, { oldNames: 4 })];

  test('that expand admit the programs from before, those that contract the programs that know enough', () => {
    expect([first, expanded, contracted].map(oldestCompatible)).toEqual([2, 2, 3]);
    const after = { version: 4, oldestCompatible: 3 };
    expect([5, 4, 3, 2].map((known) => isAdmitted(after, known))).toEqual([true, true, true, false]);
  });

  test('are planned with what they mean for the programs from before', () => {
    const found = { version: 2, oldestCompatible: 2 };
    expect(planUpgrade(expanded, found)).toEqual({
      ...{ from: 2, to: 3, isAdmitted: true, keepsEarlier: true },
      pending: [{ schema: 3, name: 'new-names', kind: 'expand' }],
    });
    expect(planUpgrade(contracted, found)).toMatchObject({
      keepsEarlier: false,
      pending: [{ kind: 'expand' }, { kind: 'contract', name: 'old-names' }],
    });
    expect(planUpgrade(contracted, { version: 3, oldestCompatible: 2 })).toMatchObject({
      keepsEarlier: true,
    });
    const newer = { version: 4, oldestCompatible: 3 };
    expect(planUpgrade(expanded, newer)).toMatchObject({ isAdmitted: true, pending: [] });
    expect(planUpgrade(first, newer)).toMatchObject({ isAdmitted: false, pending: [] });
  });
});

const adminToken = 'the-admin-token-of-this-test';

/** What the next version's expand step could be: a column and an index on a table that is written, and a new table. */
const expansion = `ALTER TABLE games ADD COLUMN of_the_future text;
  CREATE INDEX games_of_the_future ON games (of_the_future);
  CREATE TABLE of_the_future (id text PRIMARY KEY)`;

test('a SQLite database that the next version has expanded is used, and what it has added stays', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const before = new SqliteDatabase(file, domain);
  const game = await addGame(before);
  await before.close();
  const next = new SqliteFile(file);
  next.exec(expansion);
  next.pragma(`user_version = ${latestSchema + 1}`);
  next.exec("UPDATE games SET of_the_future = 'kept'");
  next.close();

  const rolledBack = new SqliteDatabase(file, domain);
  const another = await addGame(rolledBack);
  expect(await rolledBack.read(allGames)).toEqual([game, another]);
  await rolledBack.close();
  const after = new SqliteFile(file);
  expect(after.pragma('user_version', { simple: true })).toBe(latestSchema + 1);
  expect(after.prepare('SELECT of_the_future FROM games').pluck().all().toSorted()).toEqual(['kept', null]);
  after.exec(`UPDATE history SET oldest_compatible = ${latestSchema + 1}`);
  after.close();
  expect(() => new SqliteDatabase(file, domain)).toThrow(/Run the newer Gantry that wrote it/);
});

test('a server goes on when another process expands its SQLite database; after a contract step it writes no more, and ends', async () => {
  await using directory = await temporaryDirectory();
  await using server = await serveGantry(directory.path, { ADMIN_TOKEN: adminToken });
  const createGame = (name: string) =>
    post(`${server.url}/admin/create-game`, { name }, { Authorization: `Bearer ${adminToken}` });
  const next = new SqliteFile(join(directory.path, 'gantry.db'));
  const games = next.prepare('SELECT name FROM games WHERE length(name) < 6 ORDER BY name').pluck();
  try {
    expect((await createGame('One')).status).toBe(200);
    next.transaction(() => {
      next.exec(expansion);
      next.pragma(`user_version = ${latestSchema + 1}`);
    })();
    expect((await createGame('Three')).status).toBe(200);

    // As `migrate` of a version with a contract step.
    next.transaction(() => {
      next.exec(`UPDATE history SET oldest_compatible = ${latestSchema + 1}`);
      next.pragma(`user_version = ${latestSchema + 2}`);
    })();
    const refused = await createGame('Two');
    expect(refused).toMatchObject({ status: 503, body: { data: { reason: 'store_unavailable' } } });
    expect(await server.ended).toBe(1);
    expect(server.output.stderr + server.output.stdout).toMatch(
      /"level":"?(50|error).*A newer version of Gantry has upgraded the database.* knows \d+\. Start the newer version/,
    );
    expect(games.all()).toEqual(['One', 'Three']);
  } finally {
    next.close();
  }
  const again = await gantry(['serve'], { env: { DATA_DIR: directory.path, PORT: '0' } });
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Run the newer Gantry that wrote it'),
  });
});

describe.skipIf(noPostgres !== null)('beside a PostgreSQL node of the next version', () => {
  test('nodes go on after an expand step and start anew; a contract step ends them before their next write', async () => {
    await using database = await freshSchema();
    const next = new pg.Client({ connectionString: database.url });
    await next.connect();
    const node = await PostgresDatabase.open(database.url, domain, { isServer: true });
    const ends: string[] = [];
    node.onEnd((why) => ends.push(why));
    try {
      const secret = { hash: 'a', sealedMd5: '', sealedSecret: '' };
      await node.write(registerGame, { name: 'One' }, secret);
      await next.query(
        `BEGIN; ${expansion}; UPDATE schema_version SET version = ${schemaVersion + 1}; COMMIT`,
      );
      await node.write(registerGame, { name: 'Two' }, { ...secret, hash: 'b' });
      const another = await PostgresDatabase.open(database.url, domain, { isServer: true });
      await another.write(registerGame, { name: 'Three' }, { ...secret, hash: 'c' });
      expect(await another.read(allGames)).toHaveLength(3);
      await another.close();
      expect(ends).toEqual([]);

      // As `migrate` of a version with a contract step.
      await next.query(`BEGIN; UPDATE write_lanes SET owner = NULL, version = version + 1, sole_writer = false;
        UPDATE schema_version SET version = ${schemaVersion + 2};
        UPDATE history SET oldest_compatible = ${schemaVersion + 1}; COMMIT`);
      await expect(
        node.write(registerGame, { name: 'Four' }, { ...secret, hash: 'd' }),
      ).rejects.toMatchObject({
        reason: 'store_unavailable',
      });
      await until('the node has noticed', () => ends.length > 0);
      expect(ends[0]).toMatch(
        /programs that know version \d+, and this one knows \d+\. Start the newer version/,
      );
      await expect(PostgresDatabase.open(database.url, domain)).rejects.toThrow(/written by a later version/);
      const { rows } = await next.query('SELECT count(*)::int AS count FROM games');
      expect(rows).toEqual([{ count: 3 }]);
    } finally {
      await Promise.all([node.close(), next.end()]);
    }
  });
});
