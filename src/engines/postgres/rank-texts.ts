import type { RankedRows } from '../../core/storage/ranked-rows.ts';
import { type ArrayColumn, arrays } from './array-columns.ts';
import type { PhysicalTable } from './physical-table.ts';

/** Rows per bucket after a recount. */
export const bucketSize = 256;
/** A bucket with more rows is split. */
export const maxBucket = 3 * bucketSize;
/** How many rows before the requested place a guess may be. */
export const maxSkipped = 2 * maxBucket;

/** The columns of `board_counts`, whatever the ranked tables' are called. */
export const order = 'sort_score, reached_at, score_id';
/** Sorts before every row; the first bucket of each board begins here. */
export const lowestKeySql = `'-Infinity'::double precision, 0::bigint, '00000000-0000-0000-0000-000000000000'::uuid`;

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
export const countedOf = (board: string) =>
  `(SELECT version FROM board_versions WHERE board_id = ${board} AND lane = -1)`;

export const recountedText = `INSERT INTO board_versions AS v VALUES ($1, -1, 1)
  ON CONFLICT (board_id, lane) DO UPDATE SET version = v.version + 1`;

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

export const countBeforeText = (
  table: string,
  ranks: readonly string[],
) => `WITH b AS MATERIALIZED (SELECT x.*, ${isKnownText('$1', '$5::bigint')} AS is_known FROM (${bucketText('$1', givenKey)}) AS x)
  SELECT ${beforeText(table, ranks, '$1', givenKey)} AS before, is_known AS "isKnown", s AS bs, a AS ba, i AS bi FROM b`;

/**
 * For each search: a row by its key (`o`), how many are before it (`p`), and `limit` rows, `above` of them above it.
 * Every LIMIT is a literal: with a parameter in its place, PostgreSQL assumes a tenth of the table.
 */
export function aroundText(
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

/** `$5` rows, the first one `$6` rows after a key. */
export const rowsFromText = (
  table: string,
  ranks: readonly string[],
  select: RankedRows<unknown>['select'],
) =>
  select(`SELECT * FROM ${table} WHERE board_id = $1 AND (${ranks.join(', ')}) >= (${givenKey})
    ORDER BY ${ranks.join(', ')} LIMIT $5 OFFSET $6`);

/**
 * `$8` rows from the place `$7` on, if a bucket that begins at the given key is at most `maxSkipped` rows before it. The
 * first row says in any case how many rows are before the key. `$5`, `$6`: the number of the counts that the caller
 * knows, and how many rows are before the key by them. `most`: of how many rows the plan is made for.
 */
export const fromPlaceText = (
  table: string,
  ranks: readonly string[],
  select: RankedRows<unknown>['select'],
  most: number,
) => `WITH b AS MATERIALIZED (SELECT x.*, ${isKnownText('$1', '$5::bigint')} AS is_known FROM (${bucketText('$1', givenKey)}) AS x),
  p AS MATERIALIZED (SELECT ${beforeText(table, ranks, '$1', givenKey)}
    + CASE WHEN is_known THEN $6::bigint ELSE 0 END AS before, is_known FROM b)
  SELECT p.before, p.is_known AS "isKnown", f.* FROM p LEFT JOIN LATERAL (${select(
    `SELECT * FROM (SELECT * FROM ${table} AS t WHERE t.board_id = $1 AND (t.${ranks.join(', t.')}) >= (${givenKey})
        ORDER BY t.${ranks.join(', t.')} LIMIT ${maxSkipped + most}) AS t
      ORDER BY t.${ranks.join(', t.')} OFFSET greatest(0, $7::bigint - p.before)
      LIMIT CASE WHEN $7::bigint - p.before BETWEEN 0 AND ${maxSkipped} THEN $8::bigint ELSE 0 END`,
  )}) AS f ON true`;

export const nearText = `WITH c AS (
    SELECT sort_score AS s, reached_at AS a, score_id AS i, sum(count) OVER (ORDER BY ${order}) - count AS before
    FROM board_counts WHERE board_id = $1),
  b AS MATERIALIZED (SELECT s, a, i, before FROM c
    WHERE before <= $2::bigint - (SELECT count(*) FROM board_moves WHERE board_id = $1)
    ORDER BY s DESC, a DESC, i DESC LIMIT 1)
  SELECT s, a, i, before + CASE WHEN s = '-Infinity' THEN 0 ELSE ${movedOver('$1')} END AS place FROM b`;

export const foldText = `WITH gone AS (DELETE FROM board_moves WHERE board_id = $1 RETURNING *),
  steps AS (SELECT new_score AS s, new_at AS a, new_id AS i, 1 AS d FROM gone WHERE new_score IS NOT NULL
    UNION ALL SELECT old_score, old_at, old_id, -1 FROM gone WHERE old_score IS NOT NULL),
  sums AS (SELECT b.sort_score, b.reached_at, b.score_id, sum(d)::int AS d FROM steps CROSS JOIN LATERAL (
      SELECT c.sort_score, c.reached_at, c.score_id FROM board_counts AS c
      WHERE c.board_id = $1 AND (c.sort_score, c.reached_at, c.score_id) <= (steps.s, steps.a, steps.i)
      ORDER BY c.sort_score DESC, c.reached_at DESC, c.score_id DESC LIMIT 1) AS b GROUP BY 1, 2, 3)
  UPDATE board_counts AS c SET count = c.count + sums.d FROM sums
  WHERE c.board_id = $1 AND sums.d <> 0
    AND (c.sort_score, c.reached_at, c.score_id) = (sums.sort_score, sums.reached_at, sums.score_id)`;

export const grownText = `SELECT s, a, i, ns, na, ni FROM (
    SELECT sort_score AS s, reached_at AS a, score_id AS i, count,
      lead(sort_score) OVER w AS ns, lead(reached_at) OVER w AS na, lead(score_id) OVER w AS ni
    FROM board_counts WHERE board_id = $1 WINDOW w AS (ORDER BY ${order})) AS one WHERE count > ${maxBucket}`;

export const splitText = (table: string, [score, at, id]: readonly string[]) => `WITH inside AS (
    SELECT ${score} AS s, ${at} AS a, ${id} AS i, row_number() OVER (ORDER BY ${score}, ${at}, ${id}) - 1 AS k, count(*) OVER () AS total FROM ${table}
    WHERE board_id = $1 AND (${score}, ${at}, ${id}) >= ($2::double precision, $3::bigint, $4::uuid)
      AND ($5::double precision IS NULL OR (${score}, ${at}, ${id}) < ($5::double precision, $6::bigint, $7::uuid))),
  cuts AS (INSERT INTO board_counts (board_id, ${order}, count)
    SELECT $1, s, a, i, least(${bucketSize}, total - k) FROM inside WHERE k > 0 AND k % ${bucketSize} = 0)
  UPDATE board_counts AS c SET count = least(${bucketSize}, (SELECT max(total) FROM inside))
  WHERE c.board_id = $1 AND (${order}) = ($2::double precision, $3::bigint, $4::uuid)`;
