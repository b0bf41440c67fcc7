import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { LeaderboardPolicy } from '../../domain/game.ts';
import type { Page } from '../../domain/paging.ts';
import type { RankedScore } from '../../domain/score.ts';
import { type RankKey, RankMarks } from './rank-marks.ts';
import { type ScoreRow, toScoreRecord } from './score-row.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

/** How many rows of pages are remembered, over all games. */
const rememberedRows = 20_000;

/** The record that counts for a player. `sort_score` ascends from the best: it is `-score` where more is better. */
export type Counting = RankKey;

interface BoardRow extends ScoreRow {
  wallet: string;
  username: string;
  avatar: string;
}

/** A page as it was read, and what would have changed since if it no longer held. */
interface RememberedPage {
  board: number;
  profiles: number;
  rows: readonly RankedScore[];
}

/** The leaderboards: for each game one row a player, in the order of rank. */
export class Leaderboards {
  readonly #version: DataVersion;
  readonly #marks: RankMarks;
  readonly #ids: VersionCache<{ id: number }>;
  readonly #pages = new LRUCache<string, RememberedPage>({
    maxSize: rememberedRows,
    sizeCalculation: ({ rows }) => rows.length + 1,
  });
  /** By board; holds until something is committed elsewhere or changed here. */
  readonly #versions = new Map<number, number>();
  #versionsAt: number | undefined;
  readonly #statements;

  constructor(db: Database, version: DataVersion) {
    this.#version = version;
    this.#marks = new RankMarks(db);
    this.#ids = new VersionCache(version, 10_000);
    this.#statements = {
      id: db.prepare<[string], { id: number }>('SELECT id FROM boards WHERE game_id = ?'),
      make: db.prepare<[string], { id: number }>('INSERT INTO boards (game_id) VALUES (?) RETURNING id'),
      version: db.prepare<[number], number>('SELECT version FROM boards WHERE id = ?').pluck(),
      countVersion: db.prepare<[number]>('UPDATE boards SET version = version + 1 WHERE id = ?'),
      counting: db.prepare<[number], Counting & { board_id: number }>(
        'SELECT board_id, score_id, sort_score, reached_at FROM board WHERE stream_id = ?',
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
      page: db.prepare<[number, number, number, string, number, number], BoardRow>(
        `SELECT c.id, c.nonce, c.score, c.reached_at, c.updated_at, s.wallet,
           coalesce(p.username, '') AS username, coalesce(p.avatar, '') AS avatar
         FROM (SELECT stream_id, score_id, sort_score, reached_at FROM board
               WHERE board_id = ? AND (sort_score, reached_at, score_id) >= (?, ?, ?)
               ORDER BY sort_score, reached_at, score_id LIMIT ? OFFSET ?) AS b
         JOIN scores AS c ON c.id = b.score_id
         JOIN streams AS s ON s.id = b.stream_id
         LEFT JOIN players AS p ON p.wallet = s.wallet
         ORDER BY b.sort_score, b.reached_at, b.score_id`,
      ),
    };
  }

  /** The player's row; undefined without a score. */
  counting(streamId: number): Counting | undefined {
    return this.#statements.counting.get(streamId);
  }

  /** Inside a transaction: makes a record the one that counts for the player. */
  put(gameId: string, streamId: number, counting: Counting): void {
    const boardId = this.#idOf(gameId);
    const before = this.#statements.counting.get(streamId);
    this.#statements.put.run(streamId, boardId, counting.score_id, counting.sort_score, counting.reached_at);
    if (!before || ranksBefore(before, counting) || ranksBefore(counting, before)) {
      if (before) this.#marks.removed(boardId, before);
      this.#marks.added(boardId, counting);
    }
    this.#countVersion(boardId);
  }

  /** Inside a transaction: the player has no score any more. */
  remove(streamId: number): void {
    const before = this.#statements.counting.get(streamId);
    if (!before) return;
    this.#statements.remove.run(streamId);
    this.#marks.removed(before.board_id, before);
    this.#countVersion(before.board_id);
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
    this.#marks.rebuild(boardId);
    this.#countVersion(boardId);
  }

  /** Best first. The same array again while it still holds, so that what was made of it holds too. */
  page(gameId: string, page: Page): readonly RankedScore[] {
    const boardId = this.#knownId(gameId);
    if (boardId === null) return [];
    const key = `${boardId} ${page.skip} ${page.limit}`;
    const board = this.#versionOf(boardId);
    const profiles = this.#version.get();
    const known = this.#pages.get(key);
    if (known?.board === board && known.profiles === profiles) return known.rows;
    const rows = this.#read(gameId, boardId, page);
    this.#pages.set(key, { board, profiles, rows });
    return rows;
  }

  /** How many are before the player's row. */
  ahead(gameId: string, counting: Counting): number {
    return this.#marks.before(this.#idOf(gameId), counting);
  }

  #read(gameId: string, boardId: number, { limit, skip }: Page): readonly RankedScore[] {
    const near = this.#marks.near(boardId, skip);
    const { sort_score, reached_at, score_id } = near.from;
    const rows = this.#statements.page.all(boardId, sort_score, reached_at, score_id, limit, near.skip);
    return Object.freeze(
      rows.map(({ wallet, username, avatar, ...row }) => ({
        ...toScoreRecord(row, { gameId, wallet }),
        username,
        avatar,
      })),
    );
  }

  #countVersion(boardId: number): void {
    this.#statements.countVersion.run(boardId);
    this.#versions.delete(boardId);
  }

  #versionOf(boardId: number): number {
    const commits = this.#version.commits();
    if (commits !== this.#versionsAt) {
      this.#versions.clear();
      this.#versionsAt = commits;
    }
    const known = this.#versions.get(boardId);
    if (known !== undefined) return known;
    const version = this.#statements.version.get(boardId) ?? 0;
    this.#versions.set(boardId, version);
    return version;
  }

  #idOf(gameId: string): number {
    const known = this.#knownId(gameId);
    if (known !== null) return known;
    const made = this.#statements.make.get(gameId)?.id;
    if (made === undefined) throw new Error('an INSERT with RETURNING gave no row');
    this.#marks.begin(made);
    return made;
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
