import type { AnyRow, AnyTable } from './table.ts';

/** The full contents of a database that is not in use, for copying into another engine's database. */
export interface StoredDatabase {
  /** The epoch of its history, as `Read.epoch`. */
  readonly epoch: string;
  /** Position of the last event ever written. */
  readonly lastPosition: number;
  /** The number of rows of a table, including `streams` and `events`. */
  count(table: AnyTable): number;
  /** All rows of a table, with the declared columns. */
  rows(table: AnyTable): Iterable<AnyRow>;
  /** All streams, with an additional column `lastPosition` of the last event; null when no event is retained. */
  streams(): Iterable<AnyRow>;
  /** All events ordered by the additional column `position`. */
  events(): Iterable<AnyRow>;
}

/** The number of copied rows, by table name. */
export type CopiedRows = Readonly<Record<string, number>>;
