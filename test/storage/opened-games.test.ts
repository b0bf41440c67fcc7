import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate as migratePostgres } from '../../src/engines/postgres/migrate.ts';
import { openedGames as onPostgres } from '../../src/engines/postgres/migrations/0031-opened-games.ts';
import { migrate } from '../../src/engines/sqlite/migrate.ts';
import { openedGames } from '../../src/engines/sqlite/migrations/0043-opened-games.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { migrateUntil } from '../support/postgres-schema.ts';
import { migrateSqliteUntil } from '../support/sqlite-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { walletOf } from './database-of-version.ts';

const [chess, go] = [1, 2].map((n) => `01900000-0000-7000-8000-00000000000${n}`);
const [ada, grace, linus] = [1, 2, 3].map(walletOf);

const insertGames = `INSERT INTO games
  (id, slug, name, kind, url, allowed_origins, policies, rules, rules_version, created_at) VALUES ${[
    chess,
    go,
  ]
    .map((id) => `('${id}', '${id}', 'Name', 'game', '', '[]', '{}', '[]', 1, 1)`)
    .join()}`;
const insertPlayers = `INSERT INTO players (wallet, user_id, username, avatar, created_at) VALUES ${[
  ada,
  grace,
  linus,
]
  .map((wallet, n) => `('${wallet}', '01900000-0000-7000-8000-00000000020${n}', '', '', 1)`)
  .join()}`;
const sessions = [
  [ada, chess, 'wallet', 30],
  [ada, chess, 'launcher', 20],
  [ada, chess, 'game-server', 10],
  [ada, go, 'game-server', 40],
  [grace, go, 'unknown', 50],
  [linus, go, 'game-server', 60],
];
const insertSessions = `INSERT INTO channel_sessions
  (id, game_id, wallet, opened_by, opened_at, expires_at, ended_at, follows_launcher, stored_bytes) VALUES ${sessions
    .map(
      ([wallet, gameId, openedBy, at], n) =>
        `('01900000-0000-7000-8000-00000000010${n}', '${gameId}', '${wallet}', '${openedBy}', ${at}, 100, 90, 0, 0)`,
    )
    .join()}`;
const selectOpened =
  'SELECT wallet, game_id, CAST(opened_at AS int) FROM opened_games ORDER BY wallet, game_id';
const eraseGrace = `DELETE FROM players WHERE wallet = '${grace}'`;
const eraseChess = `DELETE FROM games WHERE id = '${chess}'`;
const opened = [
  [ada, chess, 20],
  [grace, go, 50],
];

test('players who have opened games are known after an upgrade from an earlier SQLite database', async () => {
  await using directory = await temporaryDirectory();
  const db = new SqliteFile(join(directory.path, 'gantry.db'));
  migrateSqliteUntil(db, openedGames);
  db.exec(`${insertGames}; ${insertPlayers}; ${insertSessions}`);
  migrate(db);
  const found = () => db.prepare(selectOpened).raw().all();
  expect(found()).toEqual(opened);
  db.exec(`DELETE FROM channel_sessions; ${eraseGrace}`); // as an earlier program, which does not know the table
  expect(found()).toEqual(opened.slice(0, 1));
  db.exec(eraseChess);
  expect(found()).toEqual([]);
  db.close();
});

test.skipIf(noPostgres !== null)('and from an earlier PostgreSQL database', async () => {
  await using database = await freshDatabase();
  await migrateUntil(database.url, onPostgres);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`${insertGames}; ${insertPlayers}; ${insertSessions}`);
    await migratePostgres(database.url);
    const found = async () => (await client.query({ text: selectOpened, rowMode: 'array' })).rows;
    expect(await found()).toEqual(opened);
    await client.query(eraseGrace);
    expect(await found()).toEqual(opened.slice(0, 1));
    await client.query(eraseChess);
    expect(await found()).toEqual([]);
  } finally {
    await client.end();
  }
});
