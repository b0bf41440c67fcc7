import type { Database } from 'better-sqlite3';
import type { LeaderboardPolicy } from '../../domain/game.ts';
import type { ScoreRow } from './score-row.ts';

/**
 * From this revision on, a player's records are also kept in the order of their scores. Players with fewer are
 * spared the index, which would be written with every score and is read only when the record that counts was
 * made worse or removed: theirs are looked through then.
 */
const keptFrom = 8192;

/** Which of a player's records is the best. To be told, inside the transaction, of every record that is written. */
export class ScoreOrder {
  readonly #statements;

  constructor(db: Database) {
    const bestFirst = {
      desc: 'score DESC, reached_at, id',
      asc: 'score, reached_at, id',
    };
    const best = (table: string, order: keyof typeof bestFirst) =>
      db
        .prepare<[number], string>(
          `SELECT id FROM ${table} WHERE stream_id = ? ORDER BY ${bestFirst[order]} LIMIT 1`,
        )
        .pluck();
    this.#statements = {
      looked: { desc: best('scores', 'desc'), asc: best('scores', 'asc') },
      lowest: best('score_order', 'asc'),
      // Highest first would be against the index, which ascends in all of its columns.
      highestScore: db
        .prepare<[number], number | null>('SELECT max(score) FROM score_order WHERE stream_id = ?')
        .pluck(),
      firstWith: db
        .prepare<[number, number | null], string>(
          'SELECT id FROM score_order WHERE stream_id = ? AND score = ? ORDER BY reached_at, id LIMIT 1',
        )
        .pluck(),
      has: db.prepare<[number], 1>('SELECT 1 FROM score_order WHERE stream_id = ? LIMIT 1').pluck(),
      make: db.prepare(
        `INSERT INTO score_order (stream_id, score, reached_at, id)
         SELECT stream_id, score, reached_at, id FROM scores WHERE stream_id = ?`,
      ),
      forget: db.prepare('DELETE FROM score_order WHERE stream_id = ?'),
      add: db.prepare('INSERT INTO score_order (stream_id, score, reached_at, id) VALUES (?, ?, ?, ?)'),
      remove: db.prepare(
        'DELETE FROM score_order WHERE stream_id = ? AND score = ? AND reached_at = ? AND id = ?',
      ),
    };
  }

  /** A record was written as `row`, over `before` when it was there already. */
  written(streamId: number, revision: number, row: ScoreRow, before: ScoreRow | undefined): void {
    if (revision < keptFrom) return;
    if (!this.#statements.has.get(streamId)) {
      this.#statements.make.run(streamId);
      return;
    }
    if (before) this.removed(streamId, before);
    this.#statements.add.run(streamId, row.score, row.reached_at, row.id);
  }

  removed(streamId: number, row: ScoreRow): void {
    this.#statements.remove.run(streamId, row.score, row.reached_at, row.id);
  }

  /** All of the player's records were removed. */
  forget(streamId: number): void {
    this.#statements.forget.run(streamId);
  }

  /** The id of the player's best record; undefined when there is none. */
  best(streamId: number, order: LeaderboardPolicy['order']): string | undefined {
    const { has, looked, lowest, highestScore, firstWith } = this.#statements;
    if (!has.get(streamId)) return looked[order].get(streamId);
    if (order === 'asc') return lowest.get(streamId);
    return firstWith.get(streamId, highestScore.get(streamId) ?? null);
  }
}
