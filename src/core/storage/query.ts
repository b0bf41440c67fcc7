import type { Statement } from './statement.ts';
import type { AnyTable, Index, Table, Value } from './table.ts';

/** The steps of a query: like a command's, they wait for rows where the engine has to. */
export type ReadSteps<Result> = Generator<ReadRequest<unknown>, Result, void>;

/** A read, declared once for every engine. It sees everything that was answered before it was asked. */
export interface Query<Args extends unknown[], Result> {
  (read: Read, ...args: Args): ReadSteps<Result>;
  readonly queryName: string;
  readonly remembered: Remembered<Args> | null;
}

/** How an engine may remember the answers of a query, which are then shared: nobody may change one. */
export interface Remembered<Args extends unknown[]> {
  /** The most answers. Null, undefined and empty lists are remembered like others only where `isEmptyKept`. */
  readonly max: number;
  readonly keyOf: (...args: Args) => string;
  /** Answers hold until a kept table changes; with this, until this ranked group changes too. */
  readonly group?: (...args: Args) => { table: AnyTable; group: string };
  /** What an answer counts for against `max`; left out: 1. */
  readonly weightOf?: (answer: unknown) => number;
}

export function query<Args extends unknown[], Result>(
  queryName: string,
  steps: (read: Read, ...args: Args) => ReadSteps<Result>,
  remembered: Remembered<Args> | null = null,
): Query<Args, Result> {
  return Object.assign((read: Read, ...args: Args) => steps(read, ...args), { queryName, remembered });
}

/** Where an engine answers a request of a query. */
interface ReadSource<Result> {
  /** Sets the value and returns true where it is at hand. */
  answer(request: ReadRequest<Result>): boolean;
}

/** What a query waits for; its own iterator, as a command's requests are. */
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

  /** Where it could not be answered, the query that waits for it is told why. */
  throw(why: unknown): never {
    throw why;
  }
}

/** What a query has at hand. */
export interface Read {
  /** Unix milliseconds, by the clock that writes go by. */
  readonly now: number;
  /** Names this history: another one when the database was replaced by a restored backup. */
  readonly epoch: string;
  /** Names this database for as long as it lives, whatever becomes of its history. */
  readonly installation: string;
  /** Another number than before when what is remembered of the database may no longer hold. */
  readonly version: number;
  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): ReadRequest<Row | undefined>;
  /** The rows under an index's leading columns, in its order or from its end. */
  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; skip?: number; last?: boolean },
  ): ReadRequest<readonly Row[]>;
  /** How many rows lie under an index's leading columns. */
  count<Row>(index: Index<Row>, prefix: readonly Value[]): ReadRequest<number>;
  all<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): ReadRequest<readonly Row[]>;
  /** Hands over the rows of a statement one by one, for more than memory should hold; how many there were. */
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
  /** What another query answers, which is remembered where that one's answers are. */
  ask<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): ReadRequest<Result>;
  /** What the engine stores in the place of a stream's name; null where nothing was ever written of it. */
  streamKey(stream: string): ReadRequest<Value>;
  /** What the engine stores in the place of a game's id in a ranked table; null where it has no rows. */
  groupKey(table: AnyTable, group: string): ReadRequest<Value>;
  /** How many rows of a ranked group come before this one. */
  countBefore<Row>(table: Table<Row>, row: Row): ReadRequest<number>;
  /** A row's rank columns not far before a place of a ranked group, counted from 0; and how many rows to skip from there. */
  near(table: AnyTable, group: string, place: number): ReadRequest<{ from: readonly Value[]; skip: number }>;
  /** Runs reads that must see one and the same moment. */
  inOneView<Result>(steps: () => ReadSteps<Result>): ReadSteps<Result>;
}
