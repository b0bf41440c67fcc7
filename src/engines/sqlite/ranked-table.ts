import type { Database } from 'better-sqlite3';
import type { AnyRow, AnyTable, Value } from '../../core/storage/table.ts';
import type { DataVersion } from './data-version.ts';
import type { Dictionaries } from './dictionaries.ts';
import { HeldMarks } from './held-marks.ts';
import { type RankKey, RankMarks } from './rank-marks.ts';

/** For so long after another process has written, marks are not held: they would be read again with every batch. */
const sharedForMs = 1_000;

/**
 * Keeps the counts along the leaderboards (`RankMarks`), and for each group a version that changes with it. To be told,
 * inside the transaction, of every row that is written.
 */
export class RankedTable {
  readonly #version: DataVersion;
  readonly #dictionaries: Dictionaries;
  readonly #marks: RankMarks;
  readonly #held: HeldMarks;
  /** Boards whose version is to be counted up with what was written. */
  readonly #changed = new Set<number>();
  #sharedAt = Number.NEGATIVE_INFINITY;
  readonly #order: readonly string[];
  readonly #group: string;
  /** By board; holds until something is committed elsewhere or changed here. */
  readonly #versions = new Map<number, number>();
  #versionsAt: number | undefined;
  readonly #statements;

  constructor(db: Database, table: AnyTable, version: DataVersion, dictionaries: Dictionaries) {
    if (!table.ranked) throw new Error(`${table.name} is not ranked`);
    this.#version = version;
    this.#dictionaries = dictionaries;
    this.#marks = new RankMarks(db, table.name);
    this.#held = new HeldMarks(this.#marks);
    this.#order = table.ranked.order;
    this.#group = table.ranked.group;
    this.#statements = {
      make: db.prepare<[string], { id: number }>('INSERT INTO boards (game_id) VALUES (?) RETURNING id'),
      version: db.prepare<[number], number>('SELECT version FROM boards WHERE id = ?').pluck(),
      countVersion: db.prepare<[number]>('UPDATE boards SET version = version + 1 WHERE id = ?'),
    };
  }

  /** Inside a transaction: has a number for the group before its rows are written. */
  ensure(group: string): number {
    const known = this.#dictionaries.boards.idOf(group);
    if (known !== null) return known;
    const made = this.#statements.make.get(group)?.id;
    if (made === undefined) throw new Error('an INSERT with RETURNING gave no row');
    this.#dictionaries.boards.remember(group, made);
    this.#marks.begin(made);
    return made;
  }

  /** Inside a transaction: a row was written over `before`, or is gone. */
  changed(before: AnyRow | undefined, after: AnyRow | undefined): void {
    const group = String((after ?? before)?.[this.#group]);
    const board = this.ensure(group);
    const [from, to] = [before && this.#keyOf(before), after && this.#keyOf(after)];
    if (!from || !to || !isSame(from, to)) {
      const marks = this.#isShared ? this.#marks : this.#held;
      if (from) marks.removed(board, from);
      if (to) marks.added(board, to);
    }
    this.#changed.add(board);
  }

  /** Inside a transaction: all rows that changed have been told of. */
  flush(): void {
    this.#held.flush();
    for (const board of this.#changed) this.#countVersion(board);
    this.#changed.clear();
  }

  /** A transaction has begun, and another process has written since the one before. */
  shared(): void {
    this.#held.forget();
    this.#sharedAt = performance.now();
  }

  rolledBack(): void {
    this.#held.forget();
    this.#changed.clear();
  }

  /** Inside a transaction: rows of the group were written by statements. */
  recount(group: string): void {
    const board = this.ensure(group);
    this.#held.forget();
    this.#marks.rebuild(board);
    this.#countVersion(board);
  }

  countBefore(row: AnyRow): number {
    const board = this.#dictionaries.boards.idOf(String(row[this.#group]));
    return board === null ? 0 : this.#marks.before(board, this.#keyOf(row));
  }

  near(group: string, place: number): { from: readonly Value[]; skip: number } {
    const board = this.#dictionaries.boards.idOf(group);
    if (board === null) return { from: [Number.NEGATIVE_INFINITY, 0, ''], skip: place };
    const { from, skip } = this.#marks.near(board, place);
    return { from: [from.sort_score, from.reached_at, from.score_id], skip };
  }

  /** Another number than before when the group may have changed. */
  versionOf(group: string): number {
    const board = this.#dictionaries.boards.idOf(group);
    if (board === null) return 0;
    const commits = this.#version.commits();
    if (commits !== this.#versionsAt) {
      this.#versions.clear();
      this.#versionsAt = commits;
    }
    const known = this.#versions.get(board);
    if (known !== undefined) return known;
    const version = this.#statements.version.get(board) ?? 0;
    this.#versions.set(board, version);
    return version;
  }

  get #isShared(): boolean {
    return performance.now() - this.#sharedAt < sharedForMs;
  }

  #countVersion(board: number): void {
    this.#statements.countVersion.run(board);
    this.#versions.delete(board);
  }

  #keyOf(row: AnyRow): RankKey {
    const [score, reachedAt, id] = this.#order.map((column) => row[column]);
    return { sort_score: Number(score), reached_at: Number(reachedAt), score_id: String(id) };
  }
}

function isSame(one: RankKey, other: RankKey): boolean {
  return (
    one.sort_score === other.sort_score &&
    one.reached_at === other.reached_at &&
    one.score_id === other.score_id
  );
}
