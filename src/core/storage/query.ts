import type { RankedRows } from './ranked-rows.ts';
import type { AnyTable, Index, Table, Value } from './table.ts';

/** The steps of a query; like a command's, they suspend where the engine has to load rows. */
export type ReadSteps<Result> = Generator<ReadRequest<unknown>, Result, void>;

/** A read, declared once for every engine. It sees every write that was acknowledged before it was started. */
export interface Query<Args extends unknown[], Result> {
  (read: Read, ...args: Args): ReadSteps<Result>;
  readonly queryName: string;
  readonly caching: QueryCaching<Args> | null;
}

/** How an engine may cache the results of a query. Cached results are shared, so callers must not modify them. */
export interface QueryCaching<Args extends unknown[]> {
  /** Maximum number of results, or their total weight. Only objects are cached; null and undefined are not. */
  readonly max: number;
  readonly keyOf: (...args: Args) => string;
  /** Results are valid until a table with `cacheable` changes; with `group`, until this ranked group changes too. */
  readonly group?: (...args: Args) => { table: AnyTable; group: string };
  /** The weight of a result, counted against `max`; default 1. */
  readonly weightOf?: (answer: unknown) => number;
}

export function query<Args extends unknown[], Result>(
  queryName: string,
  steps: (read: Read, ...args: Args) => ReadSteps<Result>,
  caching: QueryCaching<Args> | null = null,
): Query<Args, Result> {
  return Object.assign((read: Read, ...args: Args) => steps(read, ...args), { queryName, caching });
}

/** The engine's side of a read request. */
interface ReadSource<Result> {
  /** Sets the value and returns true when it is already loaded. */
  answer(request: ReadRequest<Result>): boolean;
}

/** A read that a query waits for. Like a command's `Request`, it is its own iterator. */
export class ReadRequest<Result> {
  value!: Result;
  readonly #source: ReadSource<Result>;

  constructor(source: ReadSource<Result>) {
    this.#source = source;
  }

  [Symbol.iterator](): Iterator<ReadRequest<unknown>, Result, void> {
    return this;
  }

  next(): IteratorResult<ReadRequest<unknown>, Result> {
    return this.#source.answer(this) ? { done: true, value: this.value } : { done: false, value: this };
  }

  /** Throws the engine's error into the waiting query. */
  throw(error: unknown): never {
    throw error;
  }
}

/** The read interface available to a query. */
export interface Read {
  /** Unix milliseconds, from the same clock as writes. */
  readonly now: number;
  /** Identifies the history; changes when the database is replaced by a restored backup. */
  readonly epoch: string;
  /** Identifies the database; stays the same when its history changes. */
  readonly installation: string;
  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): ReadRequest<Row | undefined>;
  /** The rows with these values in an index's leading columns, in index order, or in reverse with `last`. */
  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; skip?: number; last?: boolean },
  ): ReadRequest<readonly Row[]>;
  /** The number of rows with these values in an index's leading columns. */
  count<Row>(index: Index<Row>, prefix: readonly Value[]): ReadRequest<number>;
  all<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): ReadRequest<readonly Row[]>;
  /** Streams the rows of a statement to `take`, for results too large for memory; returns their number. */
  each<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
    take: (row: Row) => void,
  ): ReadRequest<number>;
  /** The first row of a statement. */
  first<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): ReadRequest<Row | undefined>;
  /** Runs another query, using its cache if it has one. */
  ask<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): ReadRequest<Result>;
  /** The key that the engine stores in place of a stream's name; null when nothing was ever written for it. */
  streamKey(stream: string): ReadRequest<Value>;
  /** The key that the engine stores in place of a group's id in a ranked table; null when the group has no rows. */
  groupKey(table: AnyTable, group: string): ReadRequest<Value>;
  /** The number of rows of a ranked group that are ranked before this one. */
  countBefore<Row>(table: Table<Row>, row: Row): ReadRequest<number>;
  /** `limit` rows of a ranked group from a place (from 0) on, best first, from one snapshot. */
  fromPlace<Row>(
    shown: RankedRows<Row>,
    wanted: { group: string; place: number; limit: number },
  ): ReadRequest<readonly Row[]>;
  /**
   * `limit` rows of a ranked group around the row with a key, or all of a smaller group, from one snapshot, and the
   * place of the first of them, from 0. The row is in the middle, except near either end. Null: no row has the key.
   */
  around<Row>(
    shown: RankedRows<Row>,
    wanted: { group: string; key: readonly Value[]; limit: number },
  ): ReadRequest<{ first: number; rows: readonly Row[] } | null>;
  /** The place (from 0) of the row with a key in its ranked group, from one snapshot. Null: no row has the key. */
  placeOf<Row>(
    shown: RankedRows<Row>,
    wanted: { group: string; key: readonly Value[] },
  ): ReadRequest<number | null>;
  /** Runs reads that must see the same snapshot. */
  inOneView<Result>(steps: () => ReadSteps<Result>): ReadSteps<Result>;
}

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

/** The SELECT list of all columns of a table, under their declared names. */
export function columnsOf(table: AnyTable): string {
  return table.columns.map(({ name, sqlName }) => `${sqlName} AS "${name}"`).join(', ');
}

/** Memoizes statements by their conditions, so that each combination of filters gets a statement that fits an index. */
export function statementsBy<Made>(make: (where: string) => Made): (conditions: readonly string[]) => Made {
  const made = new Map<string, Made>();
  return (conditions) => {
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    let one = made.get(where);
    if (!one) {
      one = make(where);
      made.set(where, one);
    }
    return one;
  };
}
