import type { AnyRow, AnyTable } from './table.ts';

/** A database that nobody works with, read whole: what another engine's is filled with. */
export interface StoredDatabase {
  /** Which history it holds, as `Read.epoch`. */
  readonly epoch: string;
  /** Of the last event that was ever written. */
  readonly lastPosition: number;
  /** How many rows a table has, `streams` and `events` among them. */
  count(table: AnyTable): number;
  /** All rows of a table as they are declared. */
  rows(table: AnyTable): Iterable<AnyRow>;
  /** All streams, each with the `lastPosition` of its last event; null: none of its events is kept. */
  streams(): Iterable<AnyRow>;
  /** All events in the order of their `position`, which each row has too. */
  events(): Iterable<AnyRow>;
}

/** How many rows of each table were copied, by its name. */
export type CopiedRows = Readonly<Record<string, number>>;
