import type { AnyRow, AnyTable, Index } from '../../core/storage/table.ts';

/** The most rows and lists that are kept. */
const maxKept = 50_000;

export interface KeptList {
  readonly rows: readonly AnyRow[];
  readonly limit: number;
  readonly isComplete: boolean;
}

/**
 * Rows that earlier transactions have read of tables that are read by many commands and changed by few. They hold as long
 * as no node has changed anything that is remembered, which is looked at within each transaction that has used them.
 */
export class KeptRows {
  #version: number | null = null;
  readonly #rows = new Map<AnyTable, Map<string, AnyRow>>();
  #count = 0;
  #lists = new Map<string, KeptList>();

  /** Whether rows of this table are kept. */
  keeps(table: AnyTable): boolean {
    return table.isKept && table.remembered !== null;
  }

  get(table: AnyTable, key: string): AnyRow | undefined {
    return this.#rows.get(table)?.get(key);
  }

  list({ table }: Index, name: string): KeptList | undefined {
    return this.keeps(table) ? this.#lists.get(name) : undefined;
  }

  /** To be told within a transaction that knows the version. */
  keep(table: AnyTable, key: string, row: AnyRow): void {
    if (!this.keeps(table)) return;
    this.#bound();
    const rows = this.#rows.get(table) ?? new Map<string, AnyRow>();
    this.#rows.set(table, rows.set(key, row));
    this.#count++;
  }

  /** Only where a new row of the table counts as a change. */
  keepList({ table }: Index, name: string, list: KeptList): void {
    if (!this.keeps(table) || table.remembered !== 'lists') return;
    this.#bound();
    this.#lists.set(name, list);
    this.#count++;
  }

  /** Whether what is kept is as of this version; if not, it is forgotten. */
  isAt(version: number): boolean {
    if (version === this.#version) return true;
    this.forget();
    this.#version = version;
    return false;
  }

  forget(): void {
    this.#version = null;
    this.#clear();
  }

  #bound(): void {
    if (this.#count >= maxKept) this.#clear();
  }

  #clear(): void {
    this.#rows.clear();
    this.#lists.clear();
    this.#count = 0;
  }
}
