import type { AnyRow, AnyTable, Index } from '../../core/storage/table.ts';

/** The most rows and lists that are kept. */
const maxKept = 50_000;

export interface KeptList {
  readonly rows: readonly AnyRow[];
  readonly limit: number;
  readonly isWhole: boolean;
}

/**
 * Rows that earlier transactions have read of tables that are read by many commands and changed by few. They hold as long
 * as no node has changed anything that is remembered, which is looked at within each transaction that has used them.
 */
export class KeptRows {
  #version: number | null = null;
  #rows = new Map<string, AnyRow>();
  #lists = new Map<string, KeptList>();

  /** Whether rows of this table are kept. */
  keeps(table: AnyTable): boolean {
    return table.isKept && table.remembered !== null;
  }

  get(table: AnyTable, key: string): AnyRow | undefined {
    return this.keeps(table) ? this.#rows.get(`${table.name} ${key}`) : undefined;
  }

  list({ table }: Index, name: string): KeptList | undefined {
    return this.keeps(table) ? this.#lists.get(name) : undefined;
  }

  /** To be told within a transaction that knows the version. */
  keep(table: AnyTable, key: string, row: AnyRow): void {
    if (!this.keeps(table)) return;
    this.#bound();
    this.#rows.set(`${table.name} ${key}`, row);
  }

  /** Only where a new row of the table counts as a change. */
  keepList({ table }: Index, name: string, list: KeptList): void {
    if (!this.keeps(table) || table.remembered !== 'lists') return;
    this.#bound();
    this.#lists.set(name, list);
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
    this.#rows.clear();
    this.#lists.clear();
  }

  #bound(): void {
    if (this.#rows.size + this.#lists.size < maxKept) return;
    this.#rows.clear();
    this.#lists.clear();
  }
}
