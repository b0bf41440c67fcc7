import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { Page } from '../../domain/paging.ts';
import type { RankedScore, ScoreRecord } from '../../domain/score.ts';
import { GantryError } from '../../errors.ts';
import { streamOf } from '../../events/stream.ts';
import type { Owner, ScoreStore } from '../store.ts';
import type { EventLog } from './event-log.ts';
import type { SqliteGames } from './games.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import { type Counting, directionOf, Leaderboards, ranksBefore } from './leaderboards.ts';
import { ScoreOrder } from './score-order.ts';
import { type ScoreRow, toScoreRecord } from './score-row.ts';
import type { DataVersion } from './version-cache.ts';

/** Scores, by player: a player in a game is known by the id of its stream. */
export class SqliteScores implements ScoreStore {
  readonly #group: GroupCommit;
  readonly #log: EventLog;
  readonly #games: SqliteGames;
  readonly #boards: Leaderboards;
  readonly #order: ScoreOrder;
  readonly #statements;

  constructor(db: Database, version: DataVersion, group: GroupCommit, log: EventLog, games: SqliteGames) {
    this.#group = group;
    this.#log = log;
    this.#games = games;
    this.#boards = new Leaderboards(db, version);
    this.#order = new ScoreOrder(db);
    const ofStream = 'SELECT id, nonce, score, reached_at, updated_at FROM scores WHERE stream_id = ?';
    this.#statements = {
      byNonce: db.prepare<[number, string], ScoreRow>(`${ofStream} AND nonce = ?`),
      byOwnId: db.prepare<[number, string], ScoreRow>(`${ofStream} AND id = ? AND nonce IS NULL`),
      byId: db.prepare<[number, string], ScoreRow>(`${ofStream} AND id = ?`),
      latest: db.prepare<[number], ScoreRow>(`${ofStream} ORDER BY revision DESC LIMIT 1`),
      list: db.prepare<[number, number, number], ScoreRow>(
        `${ofStream} ORDER BY revision DESC LIMIT ? OFFSET ?`,
      ),
      insert: db.prepare(
        `INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ),
      update: db.prepare(
        'UPDATE scores SET score = ?, reached_at = ?, updated_at = ?, revision = ? WHERE id = ?',
      ),
      ownerOf: db.prepare<[string], { stream_id: number; stream: string; wallet: string }>(
        `SELECT s.id AS stream_id, s.name AS stream, s.wallet
         FROM scores AS c JOIN streams AS s ON s.id = c.stream_id WHERE c.id = ?`,
      ),
      delete: db.prepare('DELETE FROM scores WHERE id = ?'),
      deleteAll: db.prepare('DELETE FROM scores WHERE stream_id = ?'),
      streamsOf: db.prepare<[string], number>('SELECT id FROM streams WHERE wallet = ?').pluck(),
    };
  }

  set(owner: Owner, score: number, nonce?: string): Promise<ScoreRecord> {
    return this.#group.write((tx) => this.setWithin(tx, owner, score, nonce));
  }

  /** Inside a transaction, for what sets a score as part of a larger change. */
  setWithin(tx: Transaction, owner: Owner, score: number, nonce?: string): ScoreRecord {
    const { gameId, wallet } = owner;
    const before = nonce === undefined ? undefined : this.#byNonce(owner, nonce);
    const row: ScoreRow = {
      id: before?.id ?? newId(),
      nonce: before ? before.nonce : (nonce ?? null),
      score,
      reached_at: before?.score === score ? before.reached_at : tx.now,
      updated_at: tx.now,
    };
    const record = toScoreRecord(row, owner);
    const stream = streamOf.player(gameId, wallet);
    const seq = tx.emit({
      stream,
      name: before ? 'scores patched' : 'scores created',
      record,
      audience: { kind: 'players', gameId, wallets: [wallet] },
    });
    const streamId = this.#log.requireId(stream);
    if (before) this.#statements.update.run(score, row.reached_at, tx.now, seq, row.id);
    else this.#statements.insert.run(row.id, streamId, seq, row.nonce, score, row.reached_at, tx.now);
    this.#order.written(streamId, seq, row, before);
    this.#rank(owner, streamId, row, before);
    return record;
  }

  async find(owner: Owner, nonce?: string): Promise<ScoreRecord | null> {
    const row = nonce === undefined ? this.#latest(owner) : this.#byNonce(owner, nonce);
    return row ? toScoreRecord(row, owner) : null;
  }

  async list(owner: Owner, page: Page, nonce?: string): Promise<ScoreRecord[]> {
    const streamId = this.#streamId(owner);
    if (streamId === null) return [];
    if (nonce === undefined) {
      return this.#statements.list
        .all(streamId, page.limit, page.skip)
        .map((row) => toScoreRecord(row, owner));
    }
    const row = this.#byNonce(owner, nonce);
    return row && page.skip === 0 && page.limit > 0 ? [toScoreRecord(row, owner)] : [];
  }

  async leaderboard(gameId: string, page: Page): Promise<readonly RankedScore[]> {
    return this.#boards.page(gameId, page);
  }

  async position(owner: Owner): Promise<number | null> {
    const streamId = this.#streamId(owner);
    const row = streamId === null ? undefined : this.#boards.counting(streamId);
    return row ? this.#boards.ahead(owner.gameId, row) + 1 : null;
  }

  remove(gameId: string, scoreId: string): Promise<void> {
    return this.#group.write((tx) => {
      const of = this.#statements.ownerOf.get(scoreId);
      const row = of && this.#statements.byId.get(of.stream_id, scoreId);
      if (!row || of.stream !== streamOf.player(gameId, of.wallet)) {
        throw new GantryError('score_unknown', 'The game has no such score');
      }
      const owner = { gameId, wallet: of.wallet };
      this.#statements.delete.run(scoreId);
      this.#order.removed(of.stream_id, row);
      this.#rankAnew(owner, of.stream_id);
      tx.emit({
        stream: of.stream,
        name: 'scores removed',
        record: toScoreRecord(row, owner),
        audience: { kind: 'players', gameId, wallets: [of.wallet] },
      });
    });
  }

  /** Inside a transaction: removes all scores of a player, in every game. */
  eraseAllOfWithin(wallet: string): void {
    for (const streamId of this.#statements.streamsOf.all(wallet)) {
      this.#boards.remove(streamId);
      this.#order.forget(streamId);
      this.#statements.deleteAll.run(streamId);
    }
  }

  /** Inside a transaction: ranks a whole game by its policy, after that has changed. */
  rankGame(gameId: string): void {
    this.#boards.rank(gameId, this.#policy(gameId));
  }

  /** Inside a transaction: the score under a nonce, or the one that counts on the leaderboard. */
  scoreWithin(owner: Owner, nonce: string | undefined): number | undefined {
    if (nonce !== undefined) return this.#byNonce(owner, nonce)?.score;
    const streamId = this.#streamId(owner);
    const counting = streamId === null ? undefined : this.#boards.counting(streamId);
    // + 0: −0 is a score of 0
    return counting && counting.sort_score * directionOf(this.#policy(owner.gameId).order) + 0;
  }

  /** Brings the player's leaderboard row up to date after `row` was written over `before`. */
  #rank(owner: Owner, streamId: number, row: ScoreRow, before: ScoreRow | undefined): void {
    const { keep, order } = this.#policy(owner.gameId);
    const ranked = toCounting(row, directionOf(order));
    const current = this.#boards.counting(streamId);
    if (keep === 'latest' || !current || ranksBefore(ranked, current)) {
      this.#boards.put(owner.gameId, streamId, ranked);
    } else if (before && current.score_id === row.id) {
      this.#rankAnew(owner, streamId); // the record that counted was made worse: another may now be the best
    }
  }

  /** Finds the record that counts for the player among all there are. */
  #rankAnew(owner: Owner, streamId: number): void {
    const { keep, order } = this.#policy(owner.gameId);
    const best = keep === 'best' ? this.#order.best(streamId, order) : undefined;
    const row =
      keep === 'latest'
        ? this.#statements.latest.get(streamId)
        : best && this.#statements.byId.get(streamId, best);
    if (row) this.#boards.put(owner.gameId, streamId, toCounting(row, directionOf(order)));
    else this.#boards.remove(streamId);
  }

  #latest(owner: Owner): ScoreRow | undefined {
    const streamId = this.#streamId(owner);
    return streamId === null ? undefined : this.#statements.latest.get(streamId);
  }

  #byNonce(owner: Owner, nonce: string): ScoreRow | undefined {
    const streamId = this.#streamId(owner);
    if (streamId === null) return undefined;
    return this.#statements.byNonce.get(streamId, nonce) ?? this.#statements.byOwnId.get(streamId, nonce);
  }

  /** Null: nothing was ever written of this player in this game. */
  #streamId({ gameId, wallet }: Owner): number | null {
    return this.#log.idOf(streamOf.player(gameId, wallet));
  }

  #policy(gameId: string) {
    const game = this.#games.findNow(gameId);
    if (!game) throw new Error(`a score of game ${gameId}, which is not there`);
    return game.policies.leaderboard;
  }
}

function toCounting(row: ScoreRow, direction: 1 | -1): Counting {
  return { score_id: row.id, sort_score: row.score * direction, reached_at: row.reached_at };
}
