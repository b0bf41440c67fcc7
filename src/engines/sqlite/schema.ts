import type { Database } from 'better-sqlite3';
import { events, streams } from '../../core/events/tables.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import type { DataVersion } from './data-version.ts';
import { Dictionaries } from './dictionaries.ts';
import { PartialOrder } from './partial-order.ts';
import { RankedTable } from './ranked-table.ts';
import { TableStatements } from './table-statements.ts';

/** The declared tables in a SQLite database, for one connection. */
export class Schema {
  readonly dictionaries: Dictionaries;
  readonly #db: Database;
  readonly #places: ReadonlyMap<AnyTable, number>;
  readonly #statements = new Map<AnyTable, TableStatements>();
  readonly #ranked = new Map<AnyTable, RankedTable>();
  readonly #orders = new Map<AnyTable, PartialOrder>();

  /** `tables` in the order of their references: referenced tables come first. */
  constructor(db: Database, tables: readonly AnyTable[], version: DataVersion) {
    this.#db = db;
    this.dictionaries = new Dictionaries(db);
    const all = [streams, ...tables, events];
    this.#places = new Map(all.map((table, place) => [table, place]));
    for (const table of all) {
      if (table.ranked) this.#ranked.set(table, new RankedTable(db, table, version, this.dictionaries));
      const partial = table.indexes.find(({ builtFrom }) => builtFrom !== null);
      if (partial) this.#orders.set(table, new PartialOrder(db, partial, this.of(table), this.dictionaries));
    }
  }

  of(table: AnyTable): TableStatements {
    let statements = this.#statements.get(table);
    if (!statements) {
      statements = new TableStatements(this.#db, table, this.dictionaries);
      this.#statements.set(table, statements);
    }
    return statements;
  }

  placeOf(table: AnyTable): number {
    const place = this.#places.get(table);
    if (place === undefined)
      throw new Error(`the table ${table.name} is not in server/declarations/tables.ts`);
    return place;
  }

  rankedBy(table: AnyTable): RankedTable | undefined {
    return this.#ranked.get(table);
  }

  get rankedTables(): Iterable<RankedTable> {
    return this.#ranked.values();
  }

  partialOrderOf(table: AnyTable): PartialOrder | undefined {
    return this.#orders.get(table);
  }
}
