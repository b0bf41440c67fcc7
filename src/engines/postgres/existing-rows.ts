import type { AnyTable } from '../../core/storage/table.ts';

const maxCached = 200_000;

/**
 * Keys of rows that are known to exist: of streams and the like, which are inserted in order to be locked, and then
 * stay.
 */
export class ExistingRows {
  readonly #keys = new Map<AnyTable, Set<string>>();
  #size = 0;

  has(table: AnyTable, key: string): boolean {
    return this.#keys.get(table)?.has(key) ?? false;
  }

  add(table: AnyTable, key: string): void {
    if (this.has(table, key)) return;
    if (this.#size >= maxCached) this.clear();
    const keys = this.#keys.get(table) ?? new Set();
    this.#keys.set(table, keys.add(key));
    this.#size++;
  }

  delete(table: AnyTable, key: string): void {
    if (this.#keys.get(table)?.delete(key)) this.#size--;
  }

  clear(): void {
    this.#keys.clear();
    this.#size = 0;
  }
}
