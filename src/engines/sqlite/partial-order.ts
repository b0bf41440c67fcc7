import type { Database } from 'better-sqlite3';
import type { AnyRow, Index, Value } from '../../core/storage/table.ts';
import type { Dictionaries } from './dictionaries.ts';
import type { TableStatements } from './table-statements.ts';

/**
 * The indexes of `scores` that are declared with `builtFrom`: a player's records ordered by score, stored in the table
 * `score_order` only for players with very many records. It saves all others an index that would be written with every
 * score and is read only when the counting record is lowered or removed; their records are sorted on demand.
 */
export class PartialOrder {
  readonly #from: number;
  readonly #column: string;
  readonly #dictionaries: Dictionaries;
  readonly #statements;

  constructor(
    db: Database,
    { column, from }: { column: string; from: number },
    table: TableStatements,
    dictionaries: Dictionaries,
  ) {
    this.#from = from;
    this.#column = column;
    this.#dictionaries = dictionaries;
    const best = (direction: 'ASC' | 'DESC') =>
      db.prepare<[Value, number], AnyRow>(
        `SELECT ${table.selection('s')} FROM score_order AS o CROSS JOIN scores AS s ON s.id = o.id
         WHERE o.stream_id = ? ORDER BY o.score ${direction}, o.reached_at, o.id LIMIT ?`,
      );
    this.#statements = {
      has: db.prepare<[Value], 1>('SELECT 1 FROM score_order WHERE stream_id = ? LIMIT 1').pluck(),
      make: db.prepare<[Value]>(
        `INSERT INTO score_order (stream_id, score, reached_at, id)
         SELECT stream_id, score, reached_at, id FROM scores WHERE stream_id = ?`,
      ),
      add: db.prepare<Value[]>(
        'INSERT INTO score_order (stream_id, score, reached_at, id) VALUES (?, ?, ?, ?)',
      ),
      remove: db.prepare<Value[]>(
        'DELETE FROM score_order WHERE stream_id = ? AND score = ? AND reached_at = ? AND id = ?',
      ),
      lowest: best('ASC'),
      highest: best('DESC'),
      // Highest first does not match the index, which ascends in all columns.
      first: db.prepare<[Value, Value], AnyRow>(
        `SELECT ${table.selection('s')} FROM score_order AS o CROSS JOIN scores AS s ON s.id = o.id
         WHERE o.stream_id = ? AND o.score = (SELECT max(score) FROM score_order WHERE stream_id = ?)
         ORDER BY o.reached_at, o.id LIMIT 1`,
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
    if (before) this.#statements.remove.run(stream, ...orderOf(before));
    if (after) this.#statements.add.run(stream, ...orderOf(after));
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
}

function orderOf({ score = null, reachedAt = null, id = null }: AnyRow): [Value, Value, Value] {
  return [score, reachedAt, id];
}
