import type { Database } from 'better-sqlite3';
import type { LeaderboardPolicy } from '../../domain/game.ts';
import type { Page } from '../../domain/paging.ts';
import type { ScoreRow } from './score-row.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

/** The record that counts for a player. */
export interface Counting {
  score_id: string;
  /** Ascends from the best: `-score` where more is better. */
  sort_score: number;
  reached_at: number;
}

/** A row of a leaderboard with whose it is. */
export interface BoardRow extends ScoreRow {
  wallet: string;
  username: string;
  avatar: string;
}

/** The leaderboards: for each game one row a player, in the order of rank. */
export class Leaderboards {
  readonly #ids: VersionCache<{ id: number }>;
  readonly #statements;

  constructor(db: Database, version: DataVersion) {
    this.#ids = new VersionCache(version, 10_000);
    this.#statements = {
      id: db.prepare<[string], { id: number }>('SELECT id FROM boards WHERE game_id = ?'),
      make: db.prepare<[string], { id: number }>('INSERT INTO boards (game_id) VALUES (?) RETURNING id'),
      counting: db.prepare<[number], Counting>(
        'SELECT score_id, sort_score, reached_at FROM board WHERE stream_id = ?',
      ),
      put: db.prepare<[number, number, string, number, number]>(
        `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (stream_id) DO UPDATE SET
           score_id = excluded.score_id, sort_score = excluded.sort_score, reached_at = excluded.reached_at`,
      ),
      remove: db.prepare('DELETE FROM board WHERE stream_id = ?'),
      clear: db.prepare('DELETE FROM board WHERE board_id = ?'),
      rankBest: db.prepare(rankBy('c.score * @direction, c.reached_at, c.id')),
      rankLatest: db.prepare(rankBy('c.revision DESC')),
      page: db.prepare<[number, number, number], BoardRow>(
        `SELECT c.id, c.nonce, c.score, c.reached_at, c.updated_at, s.wallet,
           coalesce(p.username, '') AS username, coalesce(p.avatar, '') AS avatar
         FROM (SELECT stream_id, score_id, sort_score, reached_at FROM board WHERE board_id = ?
               ORDER BY sort_score, reached_at, score_id LIMIT ? OFFSET ?) AS b
         JOIN scores AS c ON c.id = b.score_id
         JOIN streams AS s ON s.id = b.stream_id
         LEFT JOIN players AS p ON p.wallet = s.wallet
         ORDER BY b.sort_score, b.reached_at, b.score_id`,
      ),
      ahead: db
        .prepare<[number, number, number, string], number>(
          'SELECT count(*) FROM board WHERE board_id = ? AND (sort_score, reached_at, score_id) < (?, ?, ?)',
        )
        .pluck(),
    };
  }

  /** The player's row; undefined without a score. */
  counting(streamId: number): Counting | undefined {
    return this.#statements.counting.get(streamId);
  }

  /** Inside a transaction: makes a record the one that counts for the player. */
  put(gameId: string, streamId: number, { score_id, sort_score, reached_at }: Counting): void {
    this.#statements.put.run(streamId, this.#idOf(gameId), score_id, sort_score, reached_at);
  }

  /** Inside a transaction: the player has no score any more. */
  remove(streamId: number): void {
    this.#statements.remove.run(streamId);
  }

  /** Inside a transaction: ranks every player of the game anew, out of all scores. */
  rank(gameId: string, { keep, order }: LeaderboardPolicy): void {
    const boardId = this.#idOf(gameId);
    this.#statements.clear.run(boardId);
    const ranking = {
      boardId,
      from: `player:${gameId}:`,
      to: `player:${gameId};`,
      direction: directionOf(order),
    };
    (keep === 'best' ? this.#statements.rankBest : this.#statements.rankLatest).run(ranking);
  }

  /** Best first. */
  page(gameId: string, { limit, skip }: Page): BoardRow[] {
    const board = this.#knownId(gameId);
    return board === null ? [] : this.#statements.page.all(board, limit, skip);
  }

  /** How many are before the player's row. */
  ahead(gameId: string, { sort_score, reached_at, score_id }: Counting): number {
    return this.#statements.ahead.get(this.#idOf(gameId), sort_score, reached_at, score_id) ?? 0;
  }

  #idOf(gameId: string): number {
    const id = this.#knownId(gameId) ?? this.#statements.make.get(gameId)?.id;
    if (id === undefined) throw new Error('an INSERT with RETURNING gave no row');
    return id;
  }

  #knownId(gameId: string): number | null {
    return this.#ids.get(gameId, () => this.#statements.id.get(gameId) ?? null)?.id ?? null;
  }
}

/** What a score is multiplied with to make the best one sort first. */
export function directionOf(order: LeaderboardPolicy['order']): 1 | -1 {
  return order === 'desc' ? -1 : 1;
}

/** The order of a board: by score, then who was there first, then by id. */
export function ranksBefore(one: Counting, other: Counting): boolean {
  if (one.sort_score !== other.sort_score) return one.sort_score < other.sort_score;
  if (one.reached_at !== other.reached_at) return one.reached_at < other.reached_at;
  return one.score_id < other.score_id;
}

/**
 * Fills a game's board with the first record of each player in the given order. The game's players are the
 * streams whose names begin with `player:<gameId>:`; `;` is the character after `:`.
 */
function rankBy(order: string): string {
  return `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
    SELECT stream_id, @boardId, id, score * @direction, reached_at FROM (
      SELECT c.*, row_number() OVER (PARTITION BY c.stream_id ORDER BY ${order}) AS place
      FROM streams AS s JOIN scores AS c ON c.stream_id = s.id WHERE s.name >= @from AND s.name < @to)
    WHERE place = 1`;
}
