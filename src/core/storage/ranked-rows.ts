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

/** How many of the rows around a row may be above it. */
export function aboveOf(limit: number): number {
  return Math.max(0, Math.floor((limit - 1) / 2));
}
