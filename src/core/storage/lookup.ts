import type { Index, Table, Value } from './table.ts';

/** The steps of a lookup shared by commands and queries; `Pending` is the request type that either one yields. */
export type LookupSteps<Pending, Result> = Generator<Pending, Result, void>;

interface Answer<Pending, Result> {
  [Symbol.iterator](): Iterator<Pending, Result, void>;
}

/** The read methods that `Tx` and `Read` have in common, for logic shared by commands and queries. */
export interface Lookup<Pending> {
  /** Unix milliseconds. */
  readonly now: number;
  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): Answer<Pending, Row | undefined>;
  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; last?: boolean },
  ): Answer<Pending, readonly Row[]>;
}
