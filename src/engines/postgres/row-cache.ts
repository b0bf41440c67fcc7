import { LRUCache } from 'lru-cache';
import { events } from '../../core/events/tables.ts';
import type { Rows } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';

/** Per table, in characters of text; every other value counts as eight. */
const maxSize = 4 << 20;

/**
 * A write-through cache of rows that the batches of a lane have read or written, valid while the lane is the sole
 * writer (`LanePlace.isSoleWriter`): the next batch need not read or lock them again. Clear it when another lane may
 * have written, or a batch has failed.
 */
export class RowCache {
  readonly #rows = new Map<AnyTable, LRUCache<string, AnyRow>>();
  /** The ranking generation of the last batch; null: unknown. */
  generation: number | null = null;

  get(table: AnyTable, key: string): AnyRow | undefined {
    return this.#rows.get(table)?.get(key);
  }

  /** Stores the rows of a committed batch. */
  update(rows: Rows, generation: number | null): void {
    this.generation = generation;
    for (const { table, entries } of rows.tables) {
      if (table === events) continue; // never read by key
      let cached = this.#rows.get(table);
      if (!cached) {
        cached = new LRUCache({ maxSize, sizeCalculation: sizeOf });
        this.#rows.set(table, cached);
      }
      for (const { key, row, isKnown } of entries) {
        if (row === undefined || !isKnown) cached.delete(key);
        else if (cached.peek(key) !== row) cached.set(key, row);
      }
    }
  }

  clear(): void {
    if (this.#rows.size > 0) this.#rows.clear();
    this.generation = null;
  }
}

function sizeOf(row: AnyRow): number {
  let size = 1;
  for (const name in row) {
    const value = row[name];
    size += typeof value === 'string' ? value.length : 8;
  }
  return size;
}
