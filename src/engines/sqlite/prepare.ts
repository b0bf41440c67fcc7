import type { Database } from 'better-sqlite3';

/** Quoted texts and comments, in which a question mark is no parameter, and parameters. */
const tokens = /'[^']*'|"[^"]*"|--[^\n]*|\?|@\w+/g;

/**
 * Prepares a statement; every statement of this engine is prepared here. SQLite with STAT4 looks at the values of
 * parameters while it plans a condition, a partial index or a LIMIT, and compiles the statement again whenever they
 * change, which takes five to ten times as long as running it. Parameters are therefore hidden from the planner. A
 * statement whose plan has to depend on a value, such as one that can only use a partial index for one value of a
 * column, writes that value into its text.
 */
export function prepare<Values extends unknown[] = unknown[], Row = unknown>(db: Database, text: string) {
  return db.prepare<Values, Row>(withHiddenParameters(text));
}

/** Each parameter behind a unary plus, which does nothing: it is not even compiled. */
export function withHiddenParameters(text: string): string {
  return text.replace(tokens, (token) => (/^[?@]/.test(token) ? `+${token}` : token));
}
