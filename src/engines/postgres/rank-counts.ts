import { aboveOf, type RankedRows } from '../../core/storage/ranked-rows.ts';
import { type AnyRow, type AnyTable, rankColumnsOf, type Value } from '../../core/storage/table.ts';
import { type ArrayColumn, arrays } from './array-columns.ts';
import { type KnownBucket, KnownBuckets, KnownBucketsOfBoards } from './known-buckets.ts';
import type { PhysicalTable } from './physical-table.ts';
import { RankMoves, type Runner } from './rank-moves.ts';
import { Texts } from './texts.ts';

/** Rows per bucket after a recount. */
const bucketSize = 256;
/** A bucket with more rows is split. */
const maxBucket = 3 * bucketSize;

const texts = new Texts();
/** The sizes that rows around a row are read in; each is one prepared statement per connection. */
const aroundSizes = [11, 25, 51, 101, 250];

/** The columns of `board_counts`, whatever the ranked tables' are called. */
const order = 'sort_score, reached_at, score_id';
/** Sorts before every row; the first bucket of each board begins here. */
const lowestKeySql = `'-Infinity'::double precision, 0::bigint, '00000000-0000-0000-0000-000000000000'::uuid`;
const lowestKey = [Number.NEGATIVE_INFINITY, 0, '00000000-0000-0000-0000-000000000000'] as const;

/** Cached buckets that are only good for guesses are read again after this long, at the soonest. */
const rereadAfterMs = 1_000;
/** How many guesses are made from cached buckets, each corrected by the result of the one before. */
const maxGuesses = 3;
/** How many rows before the requested place a guess may be. */
const maxSkipped = 2 * maxBucket;

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
      const text = texts.of(`around ${table.name} ${read.above} ${read.limit}`, () =>
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
    else if (first && this.#known.isWorthReading(board)) await this.#readBuckets(runner, board, null);
    return rows;
  }

  /**
   * The key of a row shortly before a place, and how many rows to skip from there. The page must be read from the same
   * snapshot. `version`: the board's version at the last check.
   */
  async near(
    runner: Runner,
    table: Pick<AnyTable, 'name'>,
    { board, version }: { board: string; version: number | null },
    place: number,
  ): Promise<{ from: readonly Value[]; skip: number }> {
    if (place < maxBucket) return { from: lowestKey, skip: place };
    const buckets = await this.#bucketsOf(runner, board, version);
    if (version !== null && buckets.version === version) {
      const exact = buckets.lastBefore(place);
      if (exact) return { from: exact.key, skip: place - exact.place };
    }
    let known: KnownBucket | undefined;
    for (let guess = 0; guess < maxGuesses; guess++) {
      known = buckets.lastBefore(place - buckets.shift);
      if (!known) break;
      const now = await this.countBefore(runner, table, board, known.key);
      buckets.shift = now - known.place;
      if (now <= place && place - now <= maxSkipped) return { from: known.key, skip: place - now };
      if (known.isLast && now <= place) break;
    }
    const { rows } = await runner.run<{ s: number; a: number; i: string; place: number }>(nearText, [
      board,
      place,
    ]);
    const [near] = rows;
    const isBehindAll = known?.isLast && near?.i === known.key[2];
    if (!isBehindAll) this.#known.delete(board);
    return near
      ? { from: [near.s, near.a, near.i], skip: place - near.place }
      : { from: lowestKey, skip: place };
  }

  /** The cached buckets; read again if the board has stopped changing since. */
  async #bucketsOf(runner: Runner, board: string, version: number | null): Promise<KnownBuckets> {
    const known = this.#known.get(board);
    if (!known) return this.#readBuckets(runner, board, version);
    if (version === null || known.version === version) return known;
    const isUnchanged = known.seen === version;
    known.seen = version;
    const isOld = performance.now() - known.readAt > rereadAfterMs;
    return isUnchanged && isOld ? this.#readBuckets(runner, board, version) : known;
  }

  async #readBuckets(runner: Runner, board: string, version: number | null): Promise<KnownBuckets> {
    const readAt = performance.now();
    const { rows } = await runner.run<{
      s: number;
      a: number;
      i: string;
      count: number;
      moves: number;
      counted: number | null;
    }>(
      `SELECT sort_score AS s, reached_at AS a, score_id AS i, count,
          (SELECT count(*) FROM board_moves WHERE board_id = $1) AS moves, ${countedOf('$1')} AS counted
        FROM board_counts WHERE board_id = $1 ORDER BY ${order}`,
      [board],
    );
    const isExact = rows.every(({ moves }) => moves === 0);
    const buckets = new KnownBuckets(
      rows.map(({ s, a, i, count }) => ({ key: [s, a, i], count })),
      { version: isExact ? version : null, counted: rows[0]?.counted ?? null, readAt },
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

/** The net number of rows that unfolded moves have put before a bucket's first key, `b`. */
const movedOver = (board: string) => `coalesce((SELECT sum(
    coalesce((new_score, new_at, new_id) < (b.s, b.a, b.i), false)::int
    - coalesce((old_score, old_at, old_id) < (b.s, b.a, b.i), false)::int) FROM board_moves WHERE board_id = ${board}), 0)`;

/** The first key of the bucket that a key is in. */
const bucketText = (board: string, key: string) => `SELECT * FROM (
      (SELECT sort_score AS s, reached_at AS a, score_id AS i FROM board_counts
        WHERE board_id = ${board} AND (${order}) <= (${key})
        ORDER BY sort_score DESC, reached_at DESC, score_id DESC LIMIT 1)
      UNION ALL SELECT ${lowestKeySql}) AS x ORDER BY s DESC, a DESC, i DESC LIMIT 1`;

/** The number of a board's counts: it changes whenever they do. */
const countedOf = (board: string) =>
  `(SELECT version FROM board_versions WHERE board_id = ${board} AND lane = -1)`;

const recountedText = `INSERT INTO board_versions AS v VALUES ($1, -1, 1)
  ON CONFLICT (board_id, lane) DO UPDATE SET version = v.version + 1`;

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

/** Whether the buckets before `b` are known to the caller, which has passed the number of their counts. */
const isKnownText = (board: string, counted: string) => `coalesce(${countedOf(board)} = ${counted}, false)`;

/** How many rows are before a key, which is in the bucket that begins at `b`; less those in buckets that are known. */
const beforeText = (table: string, ranks: readonly string[], board: string, key: string) =>
  `CASE WHEN b.is_known THEN 0 ELSE coalesce((SELECT sum(c.count) FROM board_counts AS c
      WHERE c.board_id = ${board} AND (c.sort_score, c.reached_at, c.score_id) < (b.s, b.a, b.i)), 0) END
    + (SELECT count(*) FROM ${table} AS d WHERE d.board_id = ${board} AND (d.${ranks.join(', d.')}) >= (b.s, b.a, b.i)
        AND (d.${ranks.join(', d.')}) < (${key}))
    + CASE WHEN b.s = '-Infinity' THEN 0 ELSE ${movedOver(board)} END`;

const givenKey = '$2::double precision, $3::bigint, $4::uuid';

const countBeforeText = (
  table: string,
  ranks: readonly string[],
) => `WITH b AS MATERIALIZED (SELECT x.*, ${isKnownText('$1', '$5::bigint')} AS is_known FROM (${bucketText('$1', givenKey)}) AS x)
  SELECT ${beforeText(table, ranks, '$1', givenKey)} AS before, is_known AS "isKnown", s AS bs, a AS ba, i AS bi FROM b`;

/**
 * For each search: a row by its key (`o`), how many are before it (`p`), and `limit` rows, `above` of them above it.
 * Every LIMIT is a literal: with a parameter in its place, PostgreSQL assumes a tenth of the table.
 */
function aroundText(
  { table: { name: table }, key }: PhysicalTable,
  ranks: readonly string[],
  columns: readonly ArrayColumn<never>[],
  select: (rows: string, also: string) => string,
  { above, limit }: { above: number; limit: number },
): string {
  const side = (compared: string, direction: string, most: number) =>
    `(SELECT * FROM ${table} AS t WHERE t.board_id = p.board_id AND (t.${ranks.join(', t.')}) ${compared} (p.s, p.a, p.i)
      ORDER BY ${ranks.map((name) => `t.${name} ${direction}`).join(', ')} LIMIT ${most})`;
  const upper = above > 0 ? `${side('<', 'DESC', above)} UNION ALL ` : '';
  const [score = '', reachedAt = '', id = ''] = ranks;
  return `SELECT k.i, f.* FROM unnest(${arrays(columns)}) WITH ORDINALITY AS k(${columns.map((_, at) => `c${at}`).join(', ')}, i)
    CROSS JOIN LATERAL (WITH o AS MATERIALIZED (
      SELECT board_id, ${score} AS s, ${reachedAt} AS a, ${id} AS i FROM ${table}
      WHERE ${key.map(({ physicalName }, at) => `${physicalName} = k.c${at}`).join(' AND ')}),
    b AS MATERIALIZED (SELECT x.*, ${isKnownText('o.board_id', `k.c${key.length}`)} AS is_known
      FROM o CROSS JOIN LATERAL (${bucketText('o.board_id', 'o.s, o.a, o.i')}) AS x),
    p AS MATERIALIZED (SELECT o.*, ${beforeText(table, ranks, 'o.board_id', 'o.s, o.a, o.i')} AS before,
      b.is_known, b.s AS bs, b.a AS ba, b.i AS bi FROM o CROSS JOIN b)
    ${select(
      `SELECT p.before, p.is_known, p.bs, p.ba, p.bi, r.* FROM p CROSS JOIN LATERAL (${upper}${side('>=', 'ASC', limit)}) AS r
        ORDER BY r.${ranks.join(', r.')} LIMIT ${limit}`,
      'b.before, b.is_known AS "isKnown", b.bs, b.ba, b.bi, ',
    )}) AS f`;
}

const nearText = `WITH c AS (
    SELECT sort_score AS s, reached_at AS a, score_id AS i, sum(count) OVER (ORDER BY ${order}) - count AS before
    FROM board_counts WHERE board_id = $1),
  b AS MATERIALIZED (SELECT s, a, i, before FROM c
    WHERE before <= $2::bigint - (SELECT count(*) FROM board_moves WHERE board_id = $1)
    ORDER BY s DESC, a DESC, i DESC LIMIT 1)
  SELECT s, a, i, before + CASE WHEN s = '-Infinity' THEN 0 ELSE ${movedOver('$1')} END AS place FROM b`;

const foldText = `WITH gone AS (DELETE FROM board_moves WHERE board_id = $1 RETURNING *),
  steps AS (SELECT new_score AS s, new_at AS a, new_id AS i, 1 AS d FROM gone WHERE new_score IS NOT NULL
    UNION ALL SELECT old_score, old_at, old_id, -1 FROM gone WHERE old_score IS NOT NULL),
  sums AS (SELECT b.sort_score, b.reached_at, b.score_id, sum(d)::int AS d FROM steps CROSS JOIN LATERAL (
      SELECT c.sort_score, c.reached_at, c.score_id FROM board_counts AS c
      WHERE c.board_id = $1 AND (c.sort_score, c.reached_at, c.score_id) <= (steps.s, steps.a, steps.i)
      ORDER BY c.sort_score DESC, c.reached_at DESC, c.score_id DESC LIMIT 1) AS b GROUP BY 1, 2, 3)
  UPDATE board_counts AS c SET count = c.count + sums.d FROM sums
  WHERE c.board_id = $1 AND sums.d <> 0
    AND (c.sort_score, c.reached_at, c.score_id) = (sums.sort_score, sums.reached_at, sums.score_id)`;

const grownText = `SELECT s, a, i, ns, na, ni FROM (
    SELECT sort_score AS s, reached_at AS a, score_id AS i, count,
      lead(sort_score) OVER w AS ns, lead(reached_at) OVER w AS na, lead(score_id) OVER w AS ni
    FROM board_counts WHERE board_id = $1 WINDOW w AS (ORDER BY ${order})) AS one WHERE count > ${maxBucket}`;

const splitText = (table: string, [score, at, id]: readonly string[]) => `WITH inside AS (
    SELECT ${score} AS s, ${at} AS a, ${id} AS i, row_number() OVER (ORDER BY ${score}, ${at}, ${id}) - 1 AS k, count(*) OVER () AS total FROM ${table}
    WHERE board_id = $1 AND (${score}, ${at}, ${id}) >= ($2::double precision, $3::bigint, $4::uuid)
      AND ($5::double precision IS NULL OR (${score}, ${at}, ${id}) < ($5::double precision, $6::bigint, $7::uuid))),
  cuts AS (INSERT INTO board_counts (board_id, ${order}, count)
    SELECT $1, s, a, i, least(${bucketSize}, total - k) FROM inside WHERE k > 0 AND k % ${bucketSize} = 0)
  UPDATE board_counts AS c SET count = least(${bucketSize}, (SELECT max(total) FROM inside))
  WHERE c.board_id = $1 AND (${order}) = ($2::double precision, $3::bigint, $4::uuid)`;
