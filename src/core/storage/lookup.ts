import type { Index, Table, Value } from './table.ts';

/** The steps of what both commands and queries look up; `Asked` is what the one or the other waits for. */
export type LookupSteps<Asked, Result> = Generator<Asked, Result, void>;

interface Answer<Asked, Result> {
  [Symbol.iterator](): Iterator<Asked, Result, void>;
}

/** What a command's transaction and a query have in common: a rule that both judge by is written once over it. */
export interface Lookup<Asked> {
  /** Unix milliseconds. */
  readonly now: number;
  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): Answer<Asked, Row | undefined>;
  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; last?: boolean },
  ): Answer<Asked, readonly Row[]>;
}
