import type { Database } from 'better-sqlite3';
import type { AnyRow, Index, Value } from '../../core/storage/table.ts';
import type { Dictionaries } from './dictionaries.ts';
import { prepare } from './prepare.ts';
import type { TableStatements } from './table-statements.ts';

/**
 * A table's indexes that are declared with `builtFrom`, on the same columns in both directions: a player's rows in order,
 * stored in the table `score_order` only for players with very many rows. It saves all others an index that would be
 * written with every row and is read rarely; their rows are sorted on demand.
 */
export class PartialOrder {
  readonly #from: number;
  readonly #column: string;
  /** The columns of the order behind the stream. */
  readonly #order: readonly string[];
  readonly #dictionaries: Dictionaries;
  readonly #statements;

  constructor(
    db: Database,
    { columns: [stream = '', ...order], builtFrom }: Index,
    of: TableStatements,
    dictionaries: Dictionaries,
  ) {
    if (!builtFrom) throw new Error('the index is built for all rows');
    this.#from = builtFrom.from;
    this.#column = builtFrom.column;
    this.#order = order;
    this.#dictionaries = dictionaries;
    const table = of.table.name;
    const names = order.map((name) => of.column(name).physicalName);
    const [first = '', ...rest] = names;
    const [streamId, key] = [of.column(stream).physicalName, names.at(-1)];
    const rows = `SELECT ${of.selection('s')} FROM score_order AS o CROSS JOIN ${table} AS s ON s.${key} = o.${key}
      WHERE o.stream_id = ?`;
    const then = rest.map((name) => `o.${name}`).join(', ');
    const best = (direction: 'ASC' | 'DESC') =>
      prepare<[Value, number], AnyRow>(db, `${rows} ORDER BY o.${first} ${direction}, ${then} LIMIT ?`);
    this.#statements = {
      has: prepare<[Value], 1>(db, 'SELECT 1 FROM score_order WHERE stream_id = ? LIMIT 1').pluck(),
      make: prepare<[Value]>(
        db,
        `INSERT INTO score_order (stream_id, ${names.join(', ')})
         SELECT ${streamId}, ${names.join(', ')} FROM ${table} WHERE ${streamId} = ?`,
      ),
      add: prepare<Value[]>(
        db,
        `INSERT INTO score_order (stream_id, ${names.join(', ')}) VALUES (?${', ?'.repeat(names.length)})`,
      ),
      remove: prepare<Value[]>(
        db,
        `DELETE FROM score_order WHERE stream_id = ? AND ${names.map((name) => `${name} = ?`).join(' AND ')}`,
      ),
      lowest: best('ASC'),
      highest: best('DESC'),
      // Highest first does not match the index, which ascends in all columns.
      first: prepare<[Value, Value], AnyRow>(
        db,
        `${rows} AND o.${first} = (SELECT max(${first}) FROM score_order WHERE stream_id = ?) ORDER BY ${then} LIMIT 1`,
      ),
    };
  }

  /** Inside a transaction: a record was inserted (no `before`), updated, or deleted (no `after`). */
  changed(before: AnyRow | undefined, after: AnyRow | undefined): void {
    const row = after ?? before;
    if (!row) return;
    // A written row has the player's latest count; that of a removed row may be stale.
    if (after !== undefined && Number(after[this.#column]) < this.#from) return;
    const stream = this.#streamOf(row);
    if (!this.#statements.has.get(stream)) {
      if (after !== undefined) this.#statements.make.run(stream);
      return;
    }
    if (before) this.#statements.remove.run(stream, ...this.#orderOf(before));
    if (after) this.#statements.add.run(stream, ...this.#orderOf(after));
  }

  /** A player's records in the order of an index; null when there is no stored order for this player. */
  list(index: Index, stream: Value, limit: number): AnyRow[] | null {
    const id = typeof stream === 'string' ? this.#dictionaries.streams.idOf(stream) : null;
    if (id === null || !this.#statements.has.get(id)) return null;
    if (index.directions[1] === 1) return this.#statements.lowest.all(id, limit);
    if (limit > 1) return this.#statements.highest.all(id, limit);
    return this.#statements.first.all(id, id);
  }

  #streamOf(row: AnyRow): Value {
    const { stream } = row;
    return typeof stream === 'string' ? this.#dictionaries.streams.idOf(stream) : null;
  }

  #orderOf(row: AnyRow): Value[] {
    return this.#order.map((column) => row[column] ?? null);
  }
}
