import type { Database as SqliteConnection } from 'better-sqlite3';
import { dataFiles } from '../../src/config.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { RankMarks } from '../../src/engines/sqlite/rank-marks.ts';
import { never } from '../../src/features/friends/friend.ts';
import { leaderboardEntries } from '../../src/features/scores/leaderboard-tables.ts';
import { board } from '../../src/features/scores/tables.ts';

/** The wallet of a player that was inserted by number. */
export function walletOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

const numbers =
  'WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @count)';
const wallet = "'0x' || printf('%040x', n)";
const randomId = 'lower(hex(randomblob(16)))';
const playersStream = `JOIN streams AS s ON s.name = 'player:' || @gameId || ':' || ${wallet}`;

/**
 * Puts players with a score each on a game's board, a million in seconds: directly into the tables, as the store would
 * write them. Their scores are 0 … count − 1, higher for higher numbers.
 */
export function fillBoardBySql(dataDirectory: string, gameId: string, count: number): void {
  fillBySql(dataFiles(dataDirectory).database, (db) => {
    insertPlayers(db, gameId, count);
    db.prepare(
      `${numbers} INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
       SELECT ${randomId}, s.id, 1, NULL, n, 1, 1 FROM numbers ${playersStream}`,
    ).run({ count, gameId });
    const boardId = addBoard(db, gameId);
    db.prepare(
      `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
       SELECT stream_id, ?, id, -score, reached_at FROM scores`,
    ).run(boardId);
    new RankMarks(db, board).rebuild(boardId);
  });
}

/**
 * The same in a season of a leaderboard that ranks the highest first; `score` is the score of player `n`, in SQL.
 * `file` is the database's.
 */
export function fillLeaderboardBySql(
  file: string,
  { gameId, seasonId }: { gameId: string; seasonId: string },
  count: number,
  score: string,
): void {
  fillBySql(file, (db) => {
    insertPlayers(db, gameId, count);
    const boardId = addBoard(db, seasonId);
    db.prepare(
      `${numbers} INSERT INTO leaderboard_entries
         (board_id, stream_id, entry, score_id, sort_score, reached_at, records, nonce, updated_at, label, metadata)
       SELECT @boardId, s.id, '', '01a00000-0000-7000-8000-' || lower(hex(randomblob(6))), -${score}, 1, 1, NULL, 1, NULL, NULL
       FROM numbers ${playersStream}`,
    ).run({ count, gameId, boardId });
    new RankMarks(db, leaderboardEntries).rebuild(boardId);
  });
}

/** Inserts activities of one player into a game's feed, a millisecond apart. */
export function fillFeedBySql(dataDirectory: string, gameId: string, count: number): void {
  fillBySql(dataFiles(dataDirectory).database, (db) => {
    db.prepare("INSERT INTO players (wallet, user_id, created_at) VALUES (?, 'feed', 1)").run(walletOf(0));
    db.prepare(
      `${numbers} INSERT INTO activities (id, game_id, wallet, type, label, event_id, timestamp)
       SELECT ${randomId}, @gameId, '${walletOf(0)}', 'off-chain', 'Reached level ' || n, 'level', n FROM numbers`,
    ).run({ count, gameId });
  });
}

function fillBySql(file: string, fill: (db: SqliteConnection) => void): void {
  const db = openDatabase(file);
  db.transaction(() => fill(db))();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

function insertPlayers(db: SqliteConnection, gameId: string, count: number): void {
  db.prepare(
    `${numbers} INSERT INTO players (wallet, user_id, created_at) SELECT ${wallet}, ${randomId}, 1 FROM numbers`,
  ).run({ count });
  db.prepare(
    `${numbers} INSERT INTO streams (name, wallet, seq, first_seq, trim_at)
     SELECT 'player:' || @gameId || ':' || ${wallet}, ${wallet}, 1, 1, 1e15 FROM numbers`,
  ).run({ count, gameId });
}

function addBoard(db: SqliteConnection, gameId: string): number {
  db.prepare('INSERT OR IGNORE INTO boards (game_id) VALUES (?)').run(gameId);
  const id = db.prepare<[string], number>('SELECT id FROM boards WHERE game_id = ?').pluck().get(gameId);
  if (id === undefined) throw new Error('the board is not there');
  return id;
}

/** Makes each of these players a friend of those beside it in the list, `count` in total; the ends meet. */
export function fillFriendsBySql(dataDirectory: string, wallets: readonly string[], count: number): void {
  fillBySql(dataFiles(dataDirectory).database, (db) => {
    // Two million rows take a minute less when their indexes are made at the end.
    const indexes = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'friendships' AND type = 'index' AND sql <> ''",
      )
      .all();
    for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
    const insert = db.prepare(
      `INSERT INTO friendships (wallet, other, state, favorite, note, message, changed_at, expires_at)
       VALUES (?, ?, 'friend', 0, '', '', 1, ${never})`,
    );
    for (const [at, one] of wallets.entries()) {
      for (let step = 1; step <= count / 2; step++) {
        for (const place of [at + step, at - step + wallets.length]) {
          insert.run(one, wallets[place % wallets.length]);
        }
      }
    }
    for (const { sql } of indexes) db.exec(sql);
  });
}
