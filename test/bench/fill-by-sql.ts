import { dataFiles } from '../../src/config.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { RankMarks } from '../../src/engines/sqlite/rank-marks.ts';

/** The wallet of a player that was put in by number. */
export function walletOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

const numbers =
  'WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < @count)';
const wallet = "'0x' || printf('%040x', n)";
const randomId = 'lower(hex(randomblob(16)))';

/**
 * Puts players with a score each on a game's board, a million in seconds: straight into the tables, as the store
 * would have. Their scores are 0 … count − 1, the higher numbers' the higher.
 */
export function fillBoardBySql(dataDirectory: string, gameId: string, count: number): void {
  const db = openDatabase(dataFiles(dataDirectory).database);
  const given = { count, gameId };
  db.transaction(() => {
    db.prepare(
      `${numbers} INSERT INTO players (wallet, user_id, created_at) SELECT ${wallet}, ${randomId}, 1 FROM numbers`,
    ).run({ count });
    db.prepare(
      `${numbers} INSERT INTO streams (name, wallet, seq, first_seq, trim_at)
       SELECT 'player:' || @gameId || ':' || ${wallet}, ${wallet}, 1, 1, 1e15 FROM numbers`,
    ).run(given);
    db.prepare(
      `${numbers} INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
       SELECT ${randomId}, s.id, 1, NULL, n, 1, 1 FROM numbers
       JOIN streams AS s ON s.name = 'player:' || @gameId || ':' || ${wallet}`,
    ).run(given);
    db.prepare('INSERT OR IGNORE INTO boards (game_id) VALUES (?)').run(gameId);
    const boardId = db
      .prepare<[string], number>('SELECT id FROM boards WHERE game_id = ?')
      .pluck()
      .get(gameId);
    if (boardId === undefined) throw new Error('the board is not there');
    db.prepare(
      `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
       SELECT stream_id, ?, id, -score, reached_at FROM scores`,
    ).run(boardId);
    new RankMarks(db).rebuild(boardId);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Puts activities of one player into a game's feed, a millisecond apart. */
export function fillFeedBySql(dataDirectory: string, gameId: string, count: number): void {
  const db = openDatabase(dataFiles(dataDirectory).database);
  db.transaction(() => {
    db.prepare("INSERT INTO players (wallet, user_id, created_at) VALUES (?, 'feed', 1)").run(walletOf(0));
    db.prepare(
      `${numbers} INSERT INTO activities (id, game_id, wallet, type, label, event_id, timestamp)
       SELECT ${randomId}, @gameId, '${walletOf(0)}', 'off-chain', 'Reached level ' || n, 'level', n FROM numbers`,
    ).run({ count, gameId });
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
