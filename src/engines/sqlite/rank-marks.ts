import type { Database } from 'better-sqlite3';
import { type AnyTable, rankColumnsOf } from '../../core/storage/table.ts';
import { prepare } from './prepare.ts';

/** The sort key of a row on its board: ascending, the best first. */
export interface RankKey {
  sort_score: number;
  reached_at: number;
  score_id: string;
}

/** A marked row of a board, with the number of rows from it up to the next mark of its level. */
export interface Mark extends RankKey {
  count: number;
}

/**
 * The suffix of a mark's `score_id`, from level 1 up. Ids end randomly, so one row in 256 is a mark, and one in 16 of
 * those is also a mark of the next level.
 */
const markSuffixes = ['00', '000', '0000'];

/** Precedes every row; each level begins with this mark. */
const start: RankKey = { sort_score: Number.NEGATIVE_INFINITY, reached_at: 0, score_id: '' };

/** The columns of `board_marks`, whatever the ranked table's are called. */
const key = 'sort_score, reached_at, score_id';

type KeyValues = [score: number, reachedAt: number, id: string];
type PassedValues = [
  board: number,
  level: number,
  ...from: KeyValues,
  board: number,
  level: number,
  ...to: KeyValues,
];

/**
 * Rank counts of boards: a skip list with widths (Pugh, "A skip list cookbook", 1990, section 3.4). Each mark stores
 * the number of rows from it up to the next mark of its level, so finding a rank takes one step per mark of the highest
 * level, then of the lower ones, then per row: about a hundred for a million rows. Which rows are marks depends only on
 * their ids, so there is no splitting or balancing. Must be notified, inside the transaction, of every row added or
 * removed.
 */
export class RankMarks {
  readonly #suffixes: readonly string[];
  readonly #levels: readonly number[];
  readonly #statements;

  /**
   * `ranked` is a ranked table and contains the rows. `suffixes` other than those used by the migrations are only for tests of new boards.
   */
  constructor(db: Database, ranked: AnyTable, suffixes = markSuffixes) {
    const { name: table } = ranked;
    const order = rankColumnsOf(ranked);
    const ranks = order.join(', ');
    this.#suffixes = suffixes;
    this.#levels = suffixes.map((_, index) => index + 1);
    const ofLevel = 'FROM board_marks WHERE board_id = ? AND level = ?';
    this.#statements = {
      lastBefore: prepare<[number, number, number, number, string], Mark>(
        db,
        `SELECT ${key}, count ${ofLevel} AND (${key}) < (?, ?, ?)
         ORDER BY sort_score DESC, reached_at DESC, score_id DESC LIMIT 1`,
      ),
      from: prepare<[number, number, number, number, string], Mark>(
        db,
        `SELECT ${key}, count ${ofLevel} AND (${key}) >= (?, ?, ?) ORDER BY ${key}`,
      ),
      // One statement, since each costs more than the few marks that it reads.
      passed: prepare<PassedValues, Mark & { passed: number }>(
        db,
        `SELECT ${key}, count, (SELECT total(count) ${ofLevel} AND (${key}) >= (?, ?, ?)
           AND (${key}) < (m.sort_score, m.reached_at, m.score_id)) AS passed
         FROM board_marks AS m WHERE board_id = ? AND level = ? AND (${key}) < (?, ?, ?)
         ORDER BY sort_score DESC, reached_at DESC, score_id DESC LIMIT 1`,
      ),
      rows: prepare<[number, number, number, string, number, number, string], number>(
        db,
        `SELECT count(*) FROM ${table} WHERE board_id = ? AND (${ranks}) >= (?, ?, ?) AND (${ranks}) < (?, ?, ?)`,
      ).pluck(),
      at: prepare<[number, number, number, number, string], Mark>(
        db,
        `SELECT ${key}, count ${ofLevel} AND sort_score = ? AND reached_at = ? AND score_id = ?`,
      ),
      put: prepare<[number, number, number, number, string, number]>(
        db,
        `INSERT INTO board_marks (board_id, level, ${key}, count) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET count = excluded.count`,
      ),
      remove: prepare<[number, number, number, number, string]>(
        db,
        'DELETE FROM board_marks WHERE board_id = ? AND level = ? AND sort_score = ? AND reached_at = ? AND score_id = ?',
      ),
      clear: prepare<[number]>(db, 'DELETE FROM board_marks WHERE board_id = ?'),
      markRows: prepare<[{ boardId: number; level: number; suffix: string }]>(
        db,
        `INSERT INTO board_marks (board_id, level, ${key}, count)
         SELECT @boardId, @level, ${ranks}, coalesce(lead(place) OVER (ORDER BY place), total + 1) - place FROM (
           SELECT ${ranks}, row_number() OVER (ORDER BY ${ranks}) AS place, count(*) OVER () AS total
           FROM ${table} WHERE board_id = @boardId)
         WHERE ${order.at(-1)} LIKE '%' || @suffix`,
      ),
      rowCount: prepare<[number], number>(db, `SELECT count(*) FROM ${table} WHERE board_id = ?`).pluck(),
      markedCount: prepare<[number, number], number>(db, `SELECT total(count) ${ofLevel}`).pluck(),
    };
  }

  /** Initializes a board without rows. */
  begin(boardId: number): void {
    for (const level of this.#levels) this.put(boardId, level, start, 0);
  }

  /** A row was added to the board. */
  added(boardId: number, row: RankKey): void {
    for (const level of this.#levels) {
      const before = this.#lastBefore(boardId, level, row);
      if (!this.isMark(row, level)) {
        this.put(boardId, level, before, before.count + 1);
        continue;
      }
      const between = this.#count(boardId, level - 1, before, row);
      this.put(boardId, level, before, between);
      this.put(boardId, level, row, before.count + 1 - between);
    }
  }

  /** A row was removed from the board. */
  removed(boardId: number, row: RankKey): void {
    for (const level of this.#levels) {
      const before = this.#lastBefore(boardId, level, row);
      const mark = this.isMark(row, level)
        ? this.#statements.at.get(boardId, level, ...columnsOf(row))
        : undefined;
      this.put(boardId, level, before, before.count + (mark?.count ?? 0) - 1);
      if (mark) this.remove(boardId, level, row);
    }
  }

  /** All rows of the board were rewritten. */
  rebuild(boardId: number): void {
    this.#statements.clear.run(boardId);
    const rows = this.#statements.rowCount.get(boardId) ?? 0;
    for (const [index, suffix] of this.#suffixes.entries()) {
      const level = index + 1;
      this.#statements.markRows.run({ boardId, level, suffix });
      this.put(boardId, level, start, rows - (this.#statements.markedCount.get(boardId, level) ?? 0));
    }
  }

  /** The number of rows of the board before this one. */
  before(boardId: number, row: RankKey): number {
    return this.#count(boardId, this.#levels.length, start, row);
  }

  /** A row shortly before the place, counted from 0, and the number of rows to skip from there. */
  near(boardId: number, place: number): { from: RankKey; skip: number } {
    let from = start;
    let skip = place;
    for (const level of this.#levels.toReversed()) {
      let last: Mark | undefined;
      for (const mark of this.#statements.from.iterate(boardId, level, ...columnsOf(from))) {
        if (last && skip < last.count) break;
        skip -= last?.count ?? 0;
        last = mark;
      }
      from = last ?? from;
    }
    return { from, skip };
  }

  /** The number of rows from a mark of a level (or from any row, for level 0) up to a row, exclusive. */
  #count(boardId: number, level: number, from: RankKey, to: RankKey): number {
    if (level === 0) return this.rowsBetween(boardId, from, to);
    const of = [boardId, level] as const;
    const last = this.#statements.passed.get(...of, ...columnsOf(from), ...of, ...columnsOf(to));
    if (!last) throw new Error(`board ${boardId} has no first mark of level ${level}`);
    return last.passed + this.#count(boardId, level - 1, last, to);
  }

  remove(boardId: number, level: number, at: RankKey): void {
    this.#statements.remove.run(boardId, level, ...columnsOf(at));
  }

  /** The marks of a board by level, from level 1 up; ascending. */
  ofBoard(boardId: number): Mark[][] {
    return this.#levels.map((level) => this.#statements.from.all(boardId, level, ...columnsOf(start)));
  }

  /** The number of rows of the board from one up to another, exclusive. */
  rowsBetween(boardId: number, from: RankKey, to: RankKey): number {
    return this.#statements.rows.get(boardId, ...columnsOf(from), ...columnsOf(to)) ?? 0;
  }

  #lastBefore(boardId: number, level: number, row: RankKey): Mark {
    const mark = this.#statements.lastBefore.get(boardId, level, ...columnsOf(row));
    if (!mark) throw new Error(`board ${boardId} has no first mark of level ${level}`);
    return mark;
  }

  /** Whether a row is a mark of a level, from level 1 up. */
  isMark({ score_id }: RankKey, level: number): boolean {
    return score_id.endsWith(this.#suffixes[level - 1] ?? '');
  }

  put(boardId: number, level: number, at: RankKey, count: number): void {
    this.#statements.put.run(boardId, level, ...columnsOf(at), count);
  }
}

function columnsOf({ sort_score, reached_at, score_id }: RankKey): KeyValues {
  return [sort_score, reached_at, score_id];
}
