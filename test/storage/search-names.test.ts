import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate as migratePostgres } from '../../src/engines/postgres/migrate.ts';
import { searchNames } from '../../src/engines/postgres/migrations/0021-search-names.ts';
import { withoutNulls } from '../../src/engines/postgres/null-characters.ts';
import { apply, migrate, migrations } from '../../src/engines/sqlite/migrate.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { migrateUntil } from '../support/postgres-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { walletOf } from './database-of-version.ts';

const names: readonly [username: string, folded: string][] = [
  ['', ''],
  ['Ada', 'ada'],
  ['Élise ÖZİL', 'elise ozil'],
  ['Zo\u200be', 'zoe'],
  ['a\0b\uffff0', 'ab0'],
];

test('players of an earlier SQLite database get their folded names', async () => {
  await using directory = await temporaryDirectory();
  const db = new SqliteFile(join(directory.path, 'gantry.db'));
  const version = 32;
  for (const migration of migrations.slice(0, version)) apply(db, migration);
  db.pragma(`user_version = ${version}`);
  const insert = db.prepare(
    'INSERT INTO players (wallet, user_id, username, created_at) VALUES (?, ?, ?, 1)',
  );
  for (const [at, [username]] of names.entries()) insert.run(walletOf(at), `user-${at}`, username);
  migrate(db);
  const found = db.prepare('SELECT username, search_name FROM players ORDER BY wallet').raw().all();
  db.close();
  expect(found).toEqual(names);
});

test.skipIf(noPostgres !== null)(
  'players of an earlier PostgreSQL database get their folded names',
  async () => {
    await using database = await freshDatabase();
    await migrateUntil(database.url, searchNames);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      // More than the migration reads at a time, with the names behind.
      await client.query(`INSERT INTO players (wallet, user_id, username, avatar, created_at)
        SELECT '0x' || lpad(to_hex(n), 40, '0'), gen_random_uuid(), 'Player ' || n, '', 1
        FROM generate_series(100, 12000) AS n`);
      for (const [at, [username]] of names.entries()) {
        await client.query('INSERT INTO players VALUES ($1, gen_random_uuid(), $2, $3, 1)', [
          walletOf(1e6 + at),
          withoutNulls(username),
          '',
        ]);
      }
      await migratePostgres(database.url);
      const { rows } = await client.query({
        text: 'SELECT username, search_name FROM players WHERE wallet >= $1 ORDER BY wallet',
        values: [walletOf(1e6)],
        rowMode: 'array',
      });
      expect(rows).toEqual(names.map(([username, folded]) => [withoutNulls(username), folded]));
      const others = await client.query(
        `SELECT count(*)::int AS count FROM players WHERE search_name = 'player ' || substr(username, 8)`,
      );
      expect(others.rows).toEqual([{ count: 11_901 }]);
    } finally {
      await client.end();
    }
  },
);
