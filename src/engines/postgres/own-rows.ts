import { LRUCache } from 'lru-cache';
import { events } from '../../core/events/events.ts';
import type { Rows } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';

/** Of each table, in characters of its texts and eight for every other value. */
const maxSize = 4 << 20;

/**
 * Rows as the batches of a lane have read or left them, for as long as no other lane writes: what the next batch wants of
 * them need not be read or locked again. They are worth nothing once another lane may have written (`WriteLane.isAlone`),
 * or a batch has failed.
 */
export class OwnRows {
  readonly #rows = new Map<AnyTable, LRUCache<string, AnyRow>>();
  /** How often boards had been re-ranked; null: not known. */
  generation: number | null = null;

  get(table: AnyTable, key: string): AnyRow | undefined {
    return this.#rows.get(table)?.get(key);
  }

  /** Takes over what a batch has come to, once it is committed. */
  take(rows: Rows, generation: number | null): void {
    this.generation = generation;
    for (const { table, entries } of rows.tables) {
      if (table === (events as AnyTable)) continue; // nobody asks for them one by one
      let own = this.#rows.get(table);
      if (!own) {
        own = new LRUCache({ maxSize, sizeCalculation: sizeOf });
        this.#rows.set(table, own);
      }
      for (const { key, row, isKnown } of entries) {
        if (row === undefined || !isKnown) own.delete(key);
        else if (own.peek(key) !== row) own.set(key, row);
      }
    }
  }

  forget(): void {
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
