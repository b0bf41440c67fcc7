import type { AnyTable, Value } from './table.ts';

/** The engines a statement may be written for. */
export type EngineName = 'sqlite' | 'postgres';

/**
 * SQL with named parameters (`@gameId`), one text for all engines or one for each. A statement is declared once, at
 * module level, because engines cache it prepared by identity.
 */
export interface Statement<Values extends Record<string, Value> = Record<string, Value>, Row = unknown> {
  readonly texts: Readonly<Partial<Record<EngineName, string>>>;
  /** The tables it changes, so that only their cached rows are invalidated; if omitted, all are. */
  readonly changes?: readonly AnyTable[];
  /** For type inference only. */
  readonly types?: { values: (values: Values) => void; row: Row };
}

/**
 * Declares a statement. `Row` is the type of its result rows, by the column names in the SELECT list. Without
 * `changes`, running it invalidates everything the engine has cached.
 */
export function statement<Values extends Record<string, Value>, Row = never>(
  text: string | Readonly<Partial<Record<EngineName, string>>>,
  { changes }: { changes?: readonly AnyTable[] } = {},
): Statement<Values, Row> {
  return {
    texts: typeof text === 'string' ? { sqlite: text, postgres: text } : text,
    ...(changes && { changes }),
  };
}
