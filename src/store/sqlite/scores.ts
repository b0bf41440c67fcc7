import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { Page } from '../../domain/paging.ts';
import type { RankedScore, ScoreRecord } from '../../domain/score.ts';
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
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? ORDER BY updated_at DESC, id DESC LIMIT 1',
      ),
      highest: db.prepare<[string, string], ScoreRow>(
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? ORDER BY score DESC, reached_at, id LIMIT 1',
      ),
      lowest: db.prepare<[string, string], ScoreRow>(
        'SELECT * FROM scores WHERE game_id = ? AND wallet = ? ORDER BY score, reached_at, id LIMIT 1',
      ),
      insert: db.prepare(
        `INSERT INTO scores (id, game_id, wallet, nonce, score, reached_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ),
      update: db.prepare('UPDATE scores SET score = ?, reached_at = ?, updated_at = ? WHERE id = ?'),
      list: db.prepare<[string, string, number, number], ScoreRow>(
        `SELECT * FROM scores WHERE game_id = ? AND wallet = ?
         ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`,
      ),
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
    const row = before
      ? this.#change(before, score, tx.now)
      : this.#add(owner, score, nonce ?? newId(), tx.now);
    this.#rank(owner, row, before);
    const record = toRecord(row);
    tx.emit({
      stream: streamOf.player(gameId, wallet),
      name: before ? 'scores patched' : 'scores created',
      record,
      audience: { kind: 'players', gameId, wallets: [wallet] },
    });
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

  /** Inside a transaction: the score under a nonce, or the one that counts on the leaderboard. */
  scoreWithin({ gameId, wallet }: Owner, nonce: string | undefined): number | undefined {
    if (nonce !== undefined) return this.#statements.byNonce.get(gameId, wallet, nonce)?.score;
    const counting = this.#statements.boardRow.get(gameId, wallet);
    return counting && counting.sort_score * this.#direction(gameId) + 0; // + 0: −0 is a score of 0
  }

  #add({ gameId, wallet }: Owner, score: number, nonce: string, now: number): ScoreRow {
    const row: ScoreRow = {
      id: newId(),
      game_id: gameId,
      wallet,
      nonce,
      score,
      reached_at: now,
      updated_at: now,
    };
    this.#statements.insert.run(row.id, gameId, wallet, nonce, score, now, now);
    return row;
  }

  #change(before: ScoreRow, score: number, now: number): ScoreRow {
    const row = {
      ...before,
      score,
      reached_at: score === before.score ? before.reached_at : now,
      updated_at: now,
    };
    this.#statements.update.run(score, row.reached_at, now, row.id);
    return row;
  }

  /** Brings the player's leaderboard row up to date after `row` was written over `before`. */
  #rank({ gameId, wallet }: Owner, row: ScoreRow, before: ScoreRow | undefined): void {
    const counts = this.#counting(gameId, wallet, row, before);
    if (!counts) return;
    const sortScore = counts.score * this.#direction(gameId);
    this.#statements.setBoardRow.run(gameId, wallet, counts.id, sortScore, counts.reached_at);
  }

  /** The record that now counts for the player, or null when the leaderboard row stands as it is. */
  #counting(gameId: string, wallet: string, row: ScoreRow, before: ScoreRow | undefined): ScoreRow | null {
    const policy = this.#policy(gameId);
    if (policy.keep === 'latest') return row;
    const direction = this.#direction(gameId);
    const current = this.#statements.boardRow.get(gameId, wallet);
    if (!current) return row;
    if (row.score * direction < current.sort_score) return row;
    // The record that counted was made worse (or moved): another one may now be the best.
    if (before && current.score_id === row.id) {
      return (
        (policy.order === 'desc' ? this.#statements.highest : this.#statements.lowest).get(gameId, wallet) ??
        null
      );
    }
    return null;
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
