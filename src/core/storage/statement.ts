import type { AnyTable, Value } from './table.ts';

/** The engines a statement may be written for. */
export type EngineName = 'sqlite' | 'postgres';

/**
 * SQL with named values (`@gameId`), one text for every engine or one for each. A statement is declared once, outside of
 * what uses it, since engines keep it prepared.
 */
export interface Statement<Values extends Record<string, Value> = Record<string, Value>, Row = unknown> {
  readonly texts: Readonly<Partial<Record<EngineName, string>>>;
  /** The tables it changes, where only these are to be read again; left out: any may be. */
  readonly changes?: readonly AnyTable[];
  /** Only for types. */
  readonly types?: { values: (values: Values) => void; row: Row };
}

/**
 * Declares a statement. `Row` is what it answers with, as the columns are named in it. `changes` spares everything
 * else that is remembered: without it, a statement that is run makes the engine forget all of it.
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
