import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { Page } from '../../domain/paging.ts';
import type { RankedScore, ScoreRecord } from '../../domain/score.ts';
import { GantryError } from '../../errors.ts';
import { streamOf } from '../../events/stream.ts';
import type { Owner, ScoreStore } from '../store.ts';
import type { SqliteGames } from './games.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';

interface ScoreRow {
  id: string;
  game_id: string;
  wallet: string;
  nonce: string;
  score: number;
  reached_at: number;
  updated_at: number;
}

interface BoardRow {
  score_id: string;
  sort_score: number;
  reached_at: number;
}

export class SqliteScores implements ScoreStore {
  readonly #group: GroupCommit;
  readonly #games: SqliteGames;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, games: SqliteGames) {
    this.#group = group;
    this.#games = games;
    this.#statements = {
      byNonce: db.prepare<[string, string, string], ScoreRow>(
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? AND nonce = ?',
      ),
      latest: db.prepare<[string, string], ScoreRow>(
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? ORDER BY revision DESC LIMIT 1',
      ),
      highest: db.prepare<[string, string], ScoreRow>(
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? ORDER BY score DESC, reached_at, id LIMIT 1',
      ),
      lowest: db.prepare<[string, string], ScoreRow>(
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? ORDER BY score, reached_at, id LIMIT 1',
      ),
      insert: db.prepare(
        `INSERT INTO scores (id, game_id, wallet, nonce, score, reached_at, updated_at, revision)
         VALUES (@id, @game_id, @wallet, @nonce, @score, @reached_at, @updated_at, @revision)`,
      ),
      update: db.prepare(
        `UPDATE scores SET score = @score, reached_at = @reached_at, updated_at = @updated_at,
           revision = @revision WHERE id = @id`,
      ),
      list: db.prepare<[string, string, number, number], ScoreRow>(
        `SELECT * FROM scores WHERE game_id = ? AND wallet = ?
         ORDER BY revision DESC LIMIT ? OFFSET ?`,
      ),
      byId: db.prepare<[string], ScoreRow>('SELECT * FROM scores WHERE id = ?'),
      delete: db.prepare('DELETE FROM scores WHERE id = ?'),
      deleteBoardRow: db.prepare('DELETE FROM board WHERE game_id = ? AND wallet = ?'),
      clearBoard: db.prepare('DELETE FROM board WHERE game_id = ?'),
      rankBest: db.prepare(rankBy('score * @direction, reached_at, id')),
      rankLatest: db.prepare(rankBy('revision DESC')),
      boardRow: db.prepare<[string, string], BoardRow>(
        'SELECT score_id, sort_score, reached_at FROM board WHERE game_id = ? AND wallet = ?',
      ),
      setBoardRow: db.prepare(
        `INSERT INTO board (game_id, wallet, score_id, sort_score, reached_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (game_id, wallet) DO UPDATE SET
           score_id = excluded.score_id, sort_score = excluded.sort_score, reached_at = excluded.reached_at`,
      ),
      leaderboard: db.prepare<[string, number, number], ScoreRow & { username: string; avatar: string }>(
        `SELECT s.*, coalesce(p.username, '') AS username, coalesce(p.avatar, '') AS avatar
         FROM (SELECT * FROM board WHERE game_id = ?
               ORDER BY sort_score, reached_at, score_id LIMIT ? OFFSET ?) AS b
         JOIN scores AS s ON s.id = b.score_id
         LEFT JOIN players AS p ON p.wallet = b.wallet
         ORDER BY b.sort_score, b.reached_at, b.score_id`,
      ),
      ahead: db
        .prepare<[string, number, number, string], number>(
          'SELECT count(*) FROM board WHERE game_id = ? AND (sort_score, reached_at, score_id) < (?, ?, ?)',
        )
        .pluck(),
    };
  }

  set(owner: Owner, score: number, nonce?: string): Promise<ScoreRecord> {
    return this.#group.write((tx) => this.setWithin(tx, owner, score, nonce));
  }

  /** Inside a transaction, for what sets a score as part of a larger change. */
  setWithin(tx: Transaction, owner: Owner, score: number, nonce?: string): ScoreRecord {
    const { gameId, wallet } = owner;
    const before = nonce === undefined ? undefined : this.#statements.byNonce.get(gameId, wallet, nonce);
    const row: ScoreRow = {
      id: before?.id ?? newId(),
      game_id: gameId,
      wallet,
      nonce: nonce ?? newId(),
      score,
      reached_at: before?.score === score ? before.reached_at : tx.now,
      updated_at: tx.now,
    };
    const record = toRecord(row);
    const seq = tx.emit({
      stream: streamOf.player(gameId, wallet),
      name: before ? 'scores patched' : 'scores created',
      record,
      audience: { kind: 'players', gameId, wallets: [wallet] },
    });
    (before ? this.#statements.update : this.#statements.insert).run({ ...row, revision: seq });
    this.#rank(owner, row, before);
    return record;
  }

  async find(owner: Owner, nonce?: string): Promise<ScoreRecord | null> {
    const { gameId, wallet } = owner;
    const row =
      nonce === undefined
        ? this.#statements.latest.get(gameId, wallet)
        : this.#statements.byNonce.get(gameId, wallet, nonce);
    return row ? toRecord(row) : null;
  }

  async list(owner: Owner, page: Page, nonce?: string): Promise<ScoreRecord[]> {
    const { gameId, wallet } = owner;
    if (nonce === undefined) {
      return this.#statements.list.all(gameId, wallet, page.limit, page.skip).map(toRecord);
    }
    const row = this.#statements.byNonce.get(gameId, wallet, nonce);
    return row && page.skip === 0 && page.limit > 0 ? [toRecord(row)] : [];
  }

  async leaderboard(gameId: string, page: Page): Promise<RankedScore[]> {
    return this.#statements.leaderboard
      .all(gameId, page.limit, page.skip)
      .map((row) => ({ ...toRecord(row), username: row.username, avatar: row.avatar }));
  }

  async position({ gameId, wallet }: Owner): Promise<number | null> {
    const row = this.#statements.boardRow.get(gameId, wallet);
    if (!row) return null;
    return (this.#statements.ahead.get(gameId, row.sort_score, row.reached_at, row.score_id) ?? 0) + 1;
  }

  remove(gameId: string, scoreId: string): Promise<void> {
    return this.#group.write((tx) => {
      const row = this.#statements.byId.get(scoreId);
      if (row?.game_id !== gameId) throw new GantryError('score_unknown', 'The game has no such score');
      this.#statements.delete.run(scoreId);
      this.#rankAnew(gameId, row.wallet);
      tx.emit({
        stream: streamOf.player(gameId, row.wallet),
        name: 'scores removed',
        record: toRecord(row),
        audience: { kind: 'players', gameId, wallets: [row.wallet] },
      });
    });
  }

  /** Inside a transaction: ranks a whole game by its policy, after that has changed. */
  rankGame(gameId: string): void {
    const { keep } = this.#policy(gameId);
    this.#statements.clearBoard.run(gameId);
    const ranked = { gameId, direction: this.#direction(gameId) };
    (keep === 'best' ? this.#statements.rankBest : this.#statements.rankLatest).run(ranked);
  }

  /** Inside a transaction: the score under a nonce, or the one that counts on the leaderboard. */
  scoreWithin({ gameId, wallet }: Owner, nonce: string | undefined): number | undefined {
    if (nonce !== undefined) return this.#statements.byNonce.get(gameId, wallet, nonce)?.score;
    const counting = this.#statements.boardRow.get(gameId, wallet);
    return counting && counting.sort_score * this.#direction(gameId) + 0; // + 0: −0 is a score of 0
  }

  /** Brings the player's leaderboard row up to date after `row` was written over `before`. */
  #rank({ gameId, wallet }: Owner, row: ScoreRow, before: ScoreRow | undefined): void {
    const sortScore = row.score * this.#direction(gameId);
    const current = this.#statements.boardRow.get(gameId, wallet);
    if (this.#policy(gameId).keep === 'latest' || !current || ranksBefore(row, sortScore, current)) {
      this.#statements.setBoardRow.run(gameId, wallet, row.id, sortScore, row.reached_at);
    } else if (before && current.score_id === row.id) {
      this.#rankAnew(gameId, wallet); // the record that counted was made worse: another may now be the best
    }
  }

  /** Finds the record that counts for the player among all there are. */
  #rankAnew(gameId: string, wallet: string): void {
    const { keep, order } = this.#policy(gameId);
    const best = order === 'desc' ? this.#statements.highest : this.#statements.lowest;
    const row = (keep === 'latest' ? this.#statements.latest : best).get(gameId, wallet);
    if (row) {
      this.#statements.setBoardRow.run(
        gameId,
        wallet,
        row.id,
        row.score * this.#direction(gameId),
        row.reached_at,
      );
    } else {
      this.#statements.deleteBoardRow.run(gameId, wallet);
    }
  }

  /** What a score is multiplied with to make the best one sort first. */
  #direction(gameId: string): 1 | -1 {
    return this.#policy(gameId).order === 'desc' ? -1 : 1;
  }

  #policy(gameId: string) {
    const game = this.#games.findNow(gameId);
    if (!game) throw new Error(`a score of game ${gameId}, which is not there`);
    return game.policies.leaderboard;
  }
}

/** Fills a game's board with the first record of each player in the given order. */
function rankBy(order: string): string {
  return `INSERT INTO board (game_id, wallet, score_id, sort_score, reached_at)
    SELECT game_id, wallet, id, score * @direction, reached_at FROM (
      SELECT *, row_number() OVER (PARTITION BY wallet ORDER BY ${order}) AS place
      FROM scores WHERE game_id = @gameId)
    WHERE place = 1`;
}

/** The order of a board: by score, then who was there first, then by id. */
function ranksBefore(row: ScoreRow, sortScore: number, current: BoardRow): boolean {
  if (sortScore !== current.sort_score) return sortScore < current.sort_score;
  if (row.reached_at !== current.reached_at) return row.reached_at < current.reached_at;
  return row.id < current.score_id;
}

function toRecord(row: ScoreRow): ScoreRecord {
  return {
    _id: row.id,
    nonce: row.nonce,
    gameId: row.game_id,
    normalizedAddress: row.wallet,
    score: row.score,
    updatedAt: row.updated_at,
  };
}
