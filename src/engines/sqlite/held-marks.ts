import type { Mark, RankKey, RankMarks } from './rank-marks.ts';

/** The most marks held in memory: of boards with some ten million players together. */
const maxHeld = 50_000;

interface HeldBoard {
  /** By level, from level 1 on; ascending. The first of each stands before every row. */
  levels: Mark[][];
  /** Those to be written, with their levels. */
  changed: Map<Mark, number>;
  removed: { mark: Mark; level: number }[];
}

/**
 * The marks of the boards that are written, in memory: finding one there costs a hundredth of a statement, and a mark that
 * many rows of a batch move is written once. What is held is right for as long as nobody else writes the database; whoever
 * notices that somebody does has it forgotten (`forget`).
 */
export class HeldMarks {
  readonly #marks: RankMarks;
  readonly #boards = new Map<number, HeldBoard>();
  #held = 0;

  constructor(marks: RankMarks) {
    this.#marks = marks;
  }

  /** A row was added to the board, where it is already. */
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
      this.#held++;
    }
  }

  /** A row was taken from the board, where it is no more. */
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
      this.#held--;
    }
  }

  /** Writes what has changed. Inside the transaction, before anyone counts by statements. */
  flush(): void {
    for (const [boardId, { changed, removed }] of this.#boards) {
      for (const { mark, level } of removed.splice(0)) this.#marks.remove(boardId, level, mark);
      for (const [mark, level] of changed) this.#marks.put(boardId, level, mark, mark.count);
      changed.clear();
    }
    if (this.#held > maxHeld) this.forget();
  }

  forget(): void {
    this.#boards.clear();
    this.#held = 0;
  }

  #board(boardId: number): HeldBoard {
    let board = this.#boards.get(boardId);
    if (!board) {
      board = { levels: this.#marks.ofBoard(boardId), changed: new Map(), removed: [] };
      for (const marks of board.levels) this.#held += marks.length;
      this.#boards.set(boardId, board);
    }
    return board;
  }

  /** How many rows lie from a mark of a level (or, level 0, any row) up to a row, which is not counted. */
  #count(boardId: number, board: HeldBoard, level: number, from: RankKey, to: RankKey): number {
    const marks = board.levels[level - 1];
    if (!marks) return this.#marks.rowsBetween(boardId, from, to);
    const last = lastBefore(marks, to);
    let count = 0;
    for (let at = lastBefore(marks, from) + 1; at < last; at++) count += markAt(marks, at).count;
    return count + this.#count(boardId, board, level - 1, markAt(marks, last), to);
  }
}

/** The place of the last mark before a row. The first mark stands before every row. */
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
