import type { Mark, RankKey, RankMarks } from './rank-marks.ts';

/** Maximum number of cached marks, enough for boards with about ten million players in total. */
const maxCached = 50_000;

interface CachedBoard {
  /** By level, from level 1 up; ascending. The first mark of each precedes every row. */
  levels: Mark[][];
  /** Marks to be written, with their levels. */
  changed: Map<Mark, number>;
  removed: { mark: Mark; level: number }[];
}

/**
 * Write-back cache for the marks of boards: a lookup costs a hundredth of a statement, and a mark changed by many rows
 * of a batch is written once. The cache is valid as long as no other process writes to the database; when one does, it
 * must be discarded (`forget`).
 */
export class MarkCache {
  readonly #marks: RankMarks;
  readonly #boards = new Map<number, CachedBoard>();
  #cached = 0;

  constructor(marks: RankMarks) {
    this.#marks = marks;
  }

  /** A row was added to the board; it is already in the table. */
  added(boardId: number, row: RankKey): void {
    const board = this.#board(boardId);
    for (const [index, marks] of board.levels.entries()) {
      const level = index + 1;
      const at = lastBefore(marks, row);
      const before = markAt(marks, at);
      board.changed.set(before, level);
      if (!this.#marks.isMark(row, level)) {
        before.count++;
        continue;
      }
      const between = this.#count(boardId, board, level - 1, before, row);
      const mark = { ...row, count: before.count + 1 - between };
      before.count = between;
      marks.splice(at + 1, 0, mark);
      board.changed.set(mark, level);
      this.#cached++;
    }
  }

  /** A row was removed from the board; it is no longer in the table. */
  removed(boardId: number, row: RankKey): void {
    const board = this.#board(boardId);
    for (const [index, marks] of board.levels.entries()) {
      const level = index + 1;
      const at = lastBefore(marks, row);
      const before = markAt(marks, at);
      const mark = this.#marks.isMark(row, level) ? marks[at + 1] : undefined;
      board.changed.set(before, level);
      before.count += (mark?.count ?? 0) - 1;
      if (!mark) continue;
      marks.splice(at + 1, 1);
      board.changed.delete(mark);
      board.removed.push({ mark, level });
      this.#cached--;
    }
  }

  /** Writes the changed marks. Call it inside the transaction, before statements count rows. */
  flush(): void {
    for (const [boardId, { changed, removed }] of this.#boards) {
      for (const { mark, level } of removed.splice(0)) this.#marks.remove(boardId, level, mark);
      for (const [mark, level] of changed) this.#marks.put(boardId, level, mark, mark.count);
      changed.clear();
    }
    if (this.#cached > maxCached) this.forget();
  }

  forget(): void {
    this.#boards.clear();
    this.#cached = 0;
  }

  #board(boardId: number): CachedBoard {
    let board = this.#boards.get(boardId);
    if (!board) {
      board = { levels: this.#marks.ofBoard(boardId), changed: new Map(), removed: [] };
      for (const marks of board.levels) this.#cached += marks.length;
      this.#boards.set(boardId, board);
    }
    return board;
  }

  /** The number of rows from a mark of a level (or from any row, for level 0) up to a row, exclusive. */
  #count(boardId: number, board: CachedBoard, level: number, from: RankKey, to: RankKey): number {
    const marks = board.levels[level - 1];
    if (!marks) return this.#marks.rowsBetween(boardId, from, to);
    const last = lastBefore(marks, to);
    let count = 0;
    for (let at = lastBefore(marks, from) + 1; at < last; at++) count += markAt(marks, at).count;
    return count + this.#count(boardId, board, level - 1, markAt(marks, last), to);
  }
}

/** The index of the last mark before a row. The first mark precedes every row. */
function lastBefore(marks: readonly Mark[], row: RankKey): number {
  let low = 0;
  let high = marks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isBefore(markAt(marks, middle), row)) low = middle;
    else high = middle - 1;
  }
  return isBefore(markAt(marks, low), row) ? low : -1;
}

function markAt(marks: readonly Mark[], at: number): Mark {
  const mark = marks[at];
  if (!mark) throw new Error('a board has no first mark');
  return mark;
}

function isBefore(one: RankKey, other: RankKey): boolean {
  if (one.sort_score !== other.sort_score) return one.sort_score < other.sort_score;
  if (one.reached_at !== other.reached_at) return one.reached_at < other.reached_at;
  return one.score_id < other.score_id;
}
