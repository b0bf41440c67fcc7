import type { Database, Statement } from 'better-sqlite3';
import type { RankedRows } from '../../core/storage/ranked-rows.ts';
import { type AnyRow, type AnyTable, rankColumnsOf, type Value } from '../../core/storage/table.ts';
import type { DataVersion } from './data-version.ts';
import type { Dictionaries } from './dictionaries.ts';
import { MarkCache } from './mark-cache.ts';
import { prepare } from './prepare.ts';
import { type RankKey, RankMarks } from './rank-marks.ts';

/** For this long after a write by another process, marks are not cached: every batch would have to reload them. */
const sharedForMs = 1_000;

/**
 * Maintains the rank counts of leaderboards (`RankMarks`) and a version per group. Must be notified, inside the
 * transaction, of every row that is written.
 */
export class RankedTable {
  readonly #version: DataVersion;
  readonly #dictionaries: Dictionaries;
  readonly #marks: RankMarks;
  readonly #cache: MarkCache;
  /** Boards whose version must be incremented in this transaction. */
  readonly #changed = new Set<number>();
  #sharedAt = Number.NEGATIVE_INFINITY;
  readonly #order: readonly string[];
  readonly #group: string;
  /** Cached versions by board, valid until another connection commits or this one changes the board. */
  readonly #versions = new Map<number, number>();
  #versionsAt: number | undefined;
  readonly #statements;
  readonly #db: Database;
  readonly #aroundText: string;
  readonly #around = new Map<unknown, Statement<Value[]>>();
  readonly #fromText: string;
  readonly #from = new Map<unknown, Statement<Value[]>>();

  constructor(db: Database, table: AnyTable, version: DataVersion, dictionaries: Dictionaries) {
    if (!table.ranked) throw new Error(`${table.name} is not ranked`);
    this.#db = db;
    const ranks = rankColumnsOf(table);
    const side = (compared: string, direction: string, alias: string) =>
      `SELECT * FROM (SELECT * FROM ${table.name} WHERE board_id = ? AND (${ranks.join(', ')}) ${compared} (?, ?, ?)
        ORDER BY ${ranks.map((name) => `${name} ${direction}`).join(', ')} LIMIT ?) AS ${alias}`;
    this.#aroundText = `${side('<', 'DESC', 'upper')} UNION ALL ${side('>=', 'ASC', 'lower')}`;
    this.#fromText = `SELECT * FROM ${table.name} WHERE board_id = ? AND (${ranks.join(', ')}) >= (?, ?, ?)
      ORDER BY ${ranks.join(', ')} LIMIT ? OFFSET ?`;
    this.#version = version;
    this.#dictionaries = dictionaries;
    this.#marks = new RankMarks(db, table);
    this.#cache = new MarkCache(this.#marks);
    this.#order = table.ranked.order;
    this.#group = table.ranked.group;
    this.#statements = {
      create: prepare<[string], { id: number }>(db, 'INSERT INTO boards (game_id) VALUES (?) RETURNING id'),
      version: prepare<[number], number>(db, 'SELECT version FROM boards WHERE id = ?').pluck(),
      bumpVersion: prepare<[number]>(db, 'UPDATE boards SET version = version + 1 WHERE id = ?'),
    };
  }

  /** Inside a transaction: returns the id of the group's board, which is created before its rows are written. */
  ensure(group: string): number {
    const known = this.#dictionaries.boards.idOf(group);
    if (known !== null) return known;
    const created = this.#statements.create.get(group)?.id;
    if (created === undefined) throw new Error('INSERT with RETURNING returned no row');
    this.#dictionaries.boards.remember(group, created);
    this.#marks.begin(created);
    return created;
  }

  /** Inside a transaction: a row was inserted (no `before`), updated, or deleted (no `after`). */
  changed(before: AnyRow | undefined, after: AnyRow | undefined): void {
    const group = String((after ?? before)?.[this.#group]);
    const board = this.ensure(group);
    const [from, to] = [before && this.#keyOf(before), after && this.#keyOf(after)];
    if (!from || !to || !isSame(from, to)) {
      const marks = this.#isShared ? this.#marks : this.#cache;
      if (from) marks.removed(board, from);
      if (to) marks.added(board, to);
    }
    this.#changed.add(board);
  }

  /** Inside a transaction: writes the marks and versions after all changed rows have been reported. */
  flush(): void {
    this.#cache.flush();
    for (const board of this.#changed) this.#bumpVersion(board);
    this.#changed.clear();
  }

  /** A transaction has begun, and another process has written since the previous one. */
  shared(): void {
    this.#cache.forget();
    this.#sharedAt = performance.now();
  }

  rolledBack(): void {
    this.#cache.forget();
    this.#changed.clear();
  }

  /** Inside a transaction: rows of the group were written by statements. */
  recount(group: string): void {
    const board = this.ensure(group);
    this.#cache.forget();
    this.#marks.rebuild(board);
    this.#bumpVersion(board);
  }

  countBefore(row: AnyRow): number {
    const board = this.#dictionaries.boards.idOf(String(row[this.#group]));
    return board === null ? 0 : this.#marks.before(board, this.#keyOf(row));
  }

  /** The rows above a row, and the rows from it on, inclusive. */
  around(
    select: RankedRows<unknown>['select'],
    row: AnyRow,
    { above, from }: { above: number; from: number },
  ): unknown[] {
    const statement = this.#prepared(this.#around, select, this.#aroundText);
    const board = this.#dictionaries.boards.idOf(String(row[this.#group]));
    const key = this.#order.map((column) => row[column] ?? null);
    return statement.all(board, ...key, above, board, ...key, from);
  }

  /** The rows from a place (from 0) on. The marks that lead there must be of the same snapshot. */
  fromPlace(
    select: RankedRows<unknown>['select'],
    group: string,
    { place, limit }: { place: number; limit: number },
  ): unknown[] {
    const board = this.#dictionaries.boards.idOf(group);
    if (board === null) return [];
    const { from, skip } = this.#marks.near(board, place);
    const statement = this.#prepared(this.#from, select, this.#fromText);
    return statement.all(board, from.sort_score, from.reached_at, from.score_id, limit, skip);
  }

  #prepared(
    prepared: Map<unknown, Statement<Value[]>>,
    select: RankedRows<unknown>['select'],
    rows: string,
  ): Statement<Value[]> {
    let statement = prepared.get(select);
    if (!statement) {
      statement = prepare(this.#db, select(rows));
      prepared.set(select, statement);
    }
    return statement;
  }

  /** A number that changes when the group may have changed. */
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

  #bumpVersion(board: number): void {
    this.#statements.bumpVersion.run(board);
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
