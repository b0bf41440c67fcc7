import { aboveOf, type RankedRows } from '../../core/storage/ranked-rows.ts';
import { type AnyRow, type AnyTable, rankColumnsOf, type Value } from '../../core/storage/table.ts';
import type { ArrayColumn } from './array-columns.ts';
import { type KnownBucket, KnownBuckets, KnownBucketsOfBoards } from './known-buckets.ts';
import type { PhysicalTable } from './physical-table.ts';
import { RankMoves, type Runner } from './rank-moves.ts';
import {
  aroundText,
  bucketSize,
  countBeforeText,
  countedOf,
  foldText,
  fromPlaceText,
  grownText,
  lowestKeySql,
  maxBucket,
  maxSkipped,
  nearText,
  order,
  recountedText,
  rowsFromText,
  splitText,
} from './rank-texts.ts';
import { Texts } from './texts.ts';

/** The texts of statements that read rows, by what they select. */
const texts = new WeakMap<RankedRows<unknown>['select'], Texts>();

/** The sizes that rows around a row are read in; each is one prepared statement per connection. */
const aroundSizes = [1, 11, 25, 51, 101, 250];

/** Sorts before every row, as `lowestKeySql`. */
const lowestKey = [Number.NEGATIVE_INFINITY, 0, '00000000-0000-0000-0000-000000000000'] as const;

/** How many guesses are made from cached buckets, each corrected by the result of the one before. */
const maxGuesses = 3;
/** The most rows that the shared statement for a page can read; each larger limit has a statement of its own. */
const usualPage = 250;

/**
 * Counts places on boards without a row that every write contends for: writers append moves (`board_moves`), and one
 * node at a time folds them into buckets (`board_counts`). A place is the sum of the buckets before it, the rows from
 * its bucket's first key on, and the unfolded moves across that key; all read in one statement, and so from one
 * snapshot.
 */
export class RankCounts {
  /** The columns that the rows of each ranked table are ordered by, by the table's name. */
  readonly #ranks: ReadonlyMap<string, readonly string[]>;
  readonly moves = new RankMoves();
  readonly #known = new KnownBucketsOfBoards();

  constructor(tables: readonly AnyTable[]) {
    const ranked = tables.filter(({ ranked }) => ranked !== null);
    this.#ranks = new Map(ranked.map((table) => [table.name, rankColumnsOf(table)]));
  }

  /** Call this when the history was replaced: the versions of leaderboards are counted again from lower numbers. */
  forgetCounts(): void {
    this.#known.clear();
  }

  #ranksOf(table: string): readonly string[] {
    const ranks = this.#ranks.get(table);
    if (!ranks) throw new Error(`${table} is not ranked`);
    return ranks;
  }

  /**
   * Recounts a board from its rows, in an exclusive command's transaction. Until the commit no other transaction can
   * write the table, or lock a row of it, which could deadlock; and batches that have read the previous `generation`
   * fail.
   */
  async recount(connection: Runner, { name }: Pick<AnyTable, 'name'>, board: string): Promise<void> {
    const sent: Promise<unknown>[] = [connection.run(`LOCK TABLE ${name} IN EXCLUSIVE MODE`)];
    sent.push(connection.run('UPDATE ranking SET generation = generation + 1'));
    this.moves.ensureBoards(sent, connection, name, [board]);
    await Promise.all(sent);
    const ranks = this.#ranksOf(name).join(', ');
    await connection.run('DELETE FROM board_moves WHERE board_id = $1', [board]);
    await connection.run('DELETE FROM board_counts WHERE board_id = $1', [board]);
    await connection.run(
      `WITH placed AS (SELECT ${ranks}, row_number() OVER (ORDER BY ${ranks}) - 1 AS place, count(*) OVER () AS total
          FROM ${name} WHERE board_id = $1)
        INSERT INTO board_counts (board_id, ${order}, count)
        SELECT $1, ${ranks}, least(${bucketSize}, total - place) FROM placed WHERE place > 0 AND place % ${bucketSize} = 0
        UNION ALL SELECT $1, ${lowestKeySql}, least(${bucketSize}, (SELECT count(*) FROM ${name} WHERE board_id = $1))`,
      [board],
    );
    await connection.run(recountedText, [board]);
  }

  async countBefore(
    runner: Runner,
    { name }: Pick<AnyTable, 'name'>,
    board: string,
    key: readonly Value[],
  ): Promise<number> {
    const text = countBeforeText(name, this.#ranksOf(name));
    const [place] = await this.#counted(runner, board, async (counted) => {
      const { rows } = await runner.run<Counted>(text, [board, ...key, counted]);
      return rows;
    });
    return place?.before ?? 0;
  }

  /**
   * The rows around the row with a key, as `Read.around`: one statement, and so one snapshot. Near the end of the group a
   * second one reads more rows above. `search` runs a statement whose parameters are arrays, with an element for this
   * search; `runner` reads what else is needed.
   */
  async around<Row>(
    { runner, search }: { runner: Runner; search: Search },
    { table, select }: RankedRows<Row>,
    { table: physical, values, board, limit }: RowsAround,
  ): Promise<{ first: number; rows: readonly Row[] } | null> {
    const most = aroundSizes.find((size) => size >= limit) ?? limit;
    const keyColumns = physical.searchColumns(physical.key);
    const countedColumn = { type: 'bigint', of: (one: readonly Value[]) => one[keyColumns.length] ?? null };
    const columns = [...keyColumns, countedColumn];
    let read = { above: Math.floor((most - 1) / 2), limit: most };
    for (;;) {
      const text = textsOf(select).of(`around ${read.above} ${read.limit}`, () =>
        aroundText(physical, this.#ranksOf(table.name), columns, select, read),
      );
      const rows = await this.#counted(
        runner,
        board,
        async (counted) => (await search(text, columns, [...values, counted])) as (Row & Counted)[],
      );
      const [first] = rows;
      if (!first) return null;
      const readAbove = Math.min(first.before, read.above);
      const above = aboveOf(limit, first.before, rows.length - readAbove);
      const start = readAbove - above;
      if (start >= 0) return { first: first.before - above, rows: rows.slice(start, start + limit) };
      read = { above: most - 1, limit: 2 * most - 1 };
    }
  }

  /**
   * Runs a statement that counts the rows before a row, given the number of the counts that this node knows, and adds the
   * buckets that the statement has left out because they are known.
   */
  async #counted<Row extends Counted>(
    runner: Runner,
    board: string,
    run: (counted: number | null) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const known = this.#known.get(board);
    const rows = await run(known?.counted ?? null);
    const [first] = rows;
    if (first?.isKnown) first.before += known?.placeOf([first.bs, first.ba, first.bi]) ?? 0;
    else if (first && this.#known.isWorthReading(board)) await this.#readBuckets(runner, board);
    return rows;
  }

  /**
   * The rows from a place on, as `Read.fromPlace`. Deep in a board, one statement finds the place from a bucket that a
   * node remembers, says where that bucket begins now, and reads the rows: all from one snapshot. `byKey` runs statements
   * that look rows up in indexes, `runner` others.
   */
  async fromPlace<Row>(
    { runner, byKey, inView }: PageRunners,
    { table: { name }, select }: RankedRows<Row>,
    { board, place, limit }: { board: string; place: number; limit: number },
  ): Promise<readonly Row[]> {
    const ranks = this.#ranksOf(name);
    const rowsText = textsOf(select).of('rows from', () => rowsFromText(name, ranks, select));
    const rowsFrom = async (from: Runner, key: readonly Value[], skip: number) =>
      (await from.run<Row>(rowsText, [board, ...key, limit, skip])).rows;
    if (place < maxBucket) return rowsFrom(runner, lowestKey, place);
    const most = Math.max(limit, usualPage);
    const text = textsOf(select).of(`from place ${most}`, () => fromPlaceText(name, ranks, select, most));
    const buckets = this.#known.get(board) ?? (await this.#readBuckets(runner, board));
    let known: KnownBucket | undefined;
    for (let guess = 0; guess < maxGuesses; guess++) {
      known = buckets.lastBefore(place - buckets.shift);
      if (!known) break;
      const given = [board, ...known.key, buckets.counted, known.place, place, limit];
      const { rows } = await byKey.run<Row & RowOfPage>(text, given);
      const { before = 0, isKnown = true } = rows[0] ?? {};
      if (!isKnown && this.#known.isWorthReading(board)) await this.#readBuckets(runner, board);
      buckets.shift = before - known.place;
      if (before <= place && place - before <= maxSkipped)
        return rows
          .filter(({ scoreId }) => scoreId !== null)
          .map(({ before, isKnown, ...row }) => row as Row);
      if (known.isLast && before <= place) break;
    }
    return inView(async (view) => {
      const { rows } = await view.run<{ s: number; a: number; i: string; place: number }>(nearText, [
        board,
        place,
      ]);
      const [near] = rows;
      const isBehindAll = known?.isLast && near?.i === known.key[2];
      if (!isBehindAll) this.#known.delete(board);
      return near
        ? rowsFrom(view, [near.s, near.a, near.i], place - near.place)
        : rowsFrom(view, lowestKey, place);
    });
  }

  async #readBuckets(runner: Runner, board: string): Promise<KnownBuckets> {
    const { rows } = await runner.run<{
      s: number;
      a: number;
      i: string;
      count: number;
      counted: number | null;
    }>(
      `SELECT sort_score AS s, reached_at AS a, score_id AS i, count, ${countedOf('$1')} AS counted
        FROM board_counts WHERE board_id = $1 ORDER BY ${order}`,
      [board],
    );
    const buckets = new KnownBuckets(
      rows.map(({ s, a, i, count }) => ({ key: [s, a, i], count })),
      rows[0]?.counted ?? null,
    );
    this.#known.set(board, buckets);
    return buckets;
  }

  /** Boards with unfolded moves. */
  async boardsWithMoves(runner: Runner): Promise<string[]> {
    const { rows } = await runner.run<{ board: string }>(
      'SELECT DISTINCT board_id AS board FROM board_moves',
    );
    return rows.map(({ board }) => board);
  }

  /**
   * Folds a board's moves into its buckets and splits those that have grown, in a repeatable-read transaction. False:
   * another node is doing it.
   */
  async fold(connection: Runner, board: string): Promise<boolean> {
    const locked = await connection.run<{ ranked: string }>(
      'SELECT ranked FROM boards WHERE id = $1 FOR UPDATE SKIP LOCKED',
      [board],
    );
    const [found] = locked.rows;
    if (!found) return false;
    await connection.run(
      `INSERT INTO board_counts (board_id, ${order}, count) SELECT $1, ${lowestKeySql}, 0 ON CONFLICT DO NOTHING`,
      [board],
    );
    await connection.run(foldText, [board]);
    await connection.run(recountedText, [board]);
    const { rows } = await connection.run<{
      s: number;
      a: number;
      i: string;
      ns: number | null;
      na: number | null;
      ni: string | null;
    }>(grownText, [board]);
    for (const { s, a, i, ns, na, ni } of rows) {
      await connection.run(splitText(found.ranked, this.#ranksOf(found.ranked)), [
        board,
        s,
        a,
        i,
        ns,
        na,
        ni,
      ]);
    }
    return true;
  }
}

/** What a statement says of the rows before a row, in its first row. */
interface Counted {
  before: number;
  /** `before` lacks the buckets before the row's, whose first key is (`bs`, `ba`, `bi`). */
  isKnown: boolean;
  bs: number;
  ba: number;
  bi: string;
}

/** Runs a statement for this search, perhaps with others in one. */
type Search = (
  text: string,
  columns: readonly ArrayColumn<readonly Value[]>[],
  values: readonly Value[],
) => Promise<readonly AnyRow[]>;

/** The row that rows are around, by the values of its key. */
interface RowsAround {
  table: PhysicalTable;
  values: readonly Value[];
  board: string;
  limit: number;
}

/** What a row of a page says of the bucket that the page was found from. */
interface RowOfPage {
  before: number;
  isKnown: boolean;
  /** Null: there is no row; the page is empty. */
  scoreId: string | null;
}

interface PageRunners {
  runner: Runner;
  byKey: Runner;
  inView<Result>(work: (view: Runner) => Promise<Result>): Promise<Result>;
}

function textsOf(select: RankedRows<unknown>['select']): Texts {
  let known = texts.get(select);
  if (!known) {
    known = new Texts();
    texts.set(select, known);
  }
  return known;
}
