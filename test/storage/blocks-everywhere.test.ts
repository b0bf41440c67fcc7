import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { expect, test } from 'vitest';
import { nilId } from '../../src/core/schemas/ids.ts';
import { migrate as migratePostgres } from '../../src/engines/postgres/migrate.ts';
import { blocksEverywhere as onPostgres } from '../../src/engines/postgres/migrations/0023-blocks-everywhere.ts';
import { migrate } from '../../src/engines/sqlite/migrate.ts';
import { blocksEverywhere } from '../../src/engines/sqlite/migrations/0035-blocks-everywhere.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { migrateUntil } from '../support/postgres-schema.ts';
import { migrateSqliteUntil } from '../support/sqlite-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { walletOf } from './database-of-version.ts';

const [game, first, second] = [1, 2, 3].map((n) => `01900000-0000-7000-8000-00000000000${n}`);
const [ada, grace, linus] = [1, 2, 3].map(walletOf);

const gameRows = [
  [game, 'game'],
  [first, 'launcher'],
  [second, 'launcher'],
].map(([id, kind]) => `('${id}', '${id}', 'Name', '${kind}', '', '[]', '{}', '[]', 1, 1)`);
const insertGames = `INSERT INTO games (id, slug, name, kind, url, allowed_origins, policies, rules, rules_version, created_at)
  VALUES ${gameRows.join()}`;
const before = [
  [ada, game, grace, 10],
  [ada, first, grace, 30],
  [ada, second, grace, 20],
  [ada, second, linus, 40],
  [linus, game, ada, 50],
];
const insertBlocks = `INSERT INTO player_blocks (wallet, game_id, blocked, created_at) VALUES ${before
  .map(([wallet, gameId, blocked, at]) => `('${wallet}', '${gameId}', '${blocked}', ${at})`)
  .join()}`;
const selectBlocks =
  'SELECT wallet, game_id, blocked, CAST(created_at AS int) FROM player_blocks ORDER BY wallet, game_id, blocked';
const after = [
  [ada, nilId, grace, 20],
  [ada, nilId, linus, 40],
  [ada, game, grace, 10],
  [linus, game, ada, 50],
];

test('blocks made in launchers hold in every game after an upgrade from an earlier SQLite database', async () => {
  await using directory = await temporaryDirectory();
  const db = new SqliteFile(join(directory.path, 'gantry.db'));
  migrateSqliteUntil(db, blocksEverywhere);
  db.exec(`${insertGames}; ${insertBlocks}`);
  migrate(db);
  const found = db.prepare(selectBlocks).raw().all();
  db.close();
  expect(found).toEqual(after);
});

test.skipIf(noPostgres !== null)('and from an earlier PostgreSQL database', async () => {
  await using database = await freshDatabase();
  await migrateUntil(database.url, onPostgres);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`${insertGames}; ${insertBlocks}`);
    await migratePostgres(database.url);
    expect((await client.query({ text: selectBlocks, rowMode: 'array' })).rows).toEqual(after);
  } finally {
    await client.end();
  }
});
