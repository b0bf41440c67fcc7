import type { AnyRow, AnyTable, Index } from '../../core/storage/table.ts';

/** The most rows and lists; at this many the cache is cleared. */
const maxEntries = 50_000;

export interface CachedList {
  readonly rows: readonly AnyRow[];
  readonly limit: number;
  readonly isComplete: boolean;
}

/**
 * Caches rows that earlier transactions have read, of tables that many commands read and few change. The cache is valid
 * for one version of the database, which every transaction that has used it checks before it commits.
 */
export class ReadCache {
  #version: number | null = null;
  readonly #rows = new Map<AnyTable, Map<string, AnyRow>>();
  #count = 0;
  #lists = new Map<string, CachedList>();

  /** Whether rows of this table are cached. */
  caches(table: AnyTable): boolean {
    return table.isCachedByWriter && table.cacheable !== null;
  }

  get(table: AnyTable, key: string): AnyRow | undefined {
    return this.#rows.get(table)?.get(key);
  }

  getList({ table }: Index, name: string): CachedList | undefined {
    return this.caches(table) ? this.#lists.get(name) : undefined;
  }

  /** Call this only in a transaction that has called `revalidate`. */
  set(table: AnyTable, key: string, row: AnyRow): void {
    if (!this.caches(table)) return;
    this.#evict();
    const rows = this.#rows.get(table) ?? new Map<string, AnyRow>();
    this.#rows.set(table, rows.set(key, row));
    this.#count++;
  }

  /** Caches a list, if new rows of its table change the version. */
  setList({ table }: Index, name: string, list: CachedList): void {
    if (!this.caches(table) || table.cacheable !== 'lists') return;
    this.#evict();
    this.#lists.set(name, list);
    this.#count++;
  }

  /** Whether the cache is of this version; clears it if not. */
  revalidate(version: number): boolean {
    if (version === this.#version) return true;
    this.clear();
    this.#version = version;
    return false;
  }

  clear(): void {
    this.#version = null;
    this.#removeAll();
  }

  #evict(): void {
    if (this.#count >= maxEntries) this.#removeAll();
  }

  #removeAll(): void {
    this.#rows.clear();
    this.#lists.clear();
    this.#count = 0;
  }
}
