import type { AnyTable } from './table.ts';

/** What is read of the rows of a ranked table and of others that they refer to. Declared once, at module level. */
export interface RankedRows<Row> {
  readonly table: AnyTable;
  /**
   * SQL that selects from some of the table's rows, best first: `rows` is a SELECT of them, to be named `b`; `also`
   * begins the selected columns.
   */
  readonly select: (rows: string, also?: string) => string;
  /** For type inference only. */
  readonly rowType?: Row;
}

/**
 * How many of `limit` rows around a row are above it: half of the others, or more when the group ends sooner. `before`:
 * how many rows are above it; `from`: how many there are from the row on, inclusive, if that is known.
 */
export function aboveOf(limit: number, before: number, from = Number.POSITIVE_INFINITY): number {
  return Math.max(0, Math.min(before, Math.max(Math.floor((limit - 1) / 2), limit - from)));
}
