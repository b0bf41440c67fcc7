import { type Entry, type ListBase, Rows, type TableRows } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable, Index } from '../../core/storage/table.ts';
import type { KeptRows } from './kept-rows.ts';
import type { RowCache } from './row-cache.ts';

/**
 * What is at hand of the rows that the commands of one transaction work on: what was locked and read for them, what they
 * have written, and what earlier transactions have read and kept.
 */
export class RowsAtHand {
  readonly rows = new Rows();
  /** As they were when they were locked. */
  readonly #locked = new Map<AnyTable, Map<string, AnyRow | undefined>>();
  /** Rows that were made in order to be locked, and nobody has written yet. */
  readonly made = new Map<AnyTable, Map<string, AnyRow>>();
  readonly peeked = new Map<string, AnyRow | undefined>();
  readonly maxes = new Map<string, number>();
  readonly counts = new Map<string, number>();
  readonly octets = new Map<string, number | undefined>();
  readonly lists = new Map<string, { limit: number; base: ListBase }>();
  /** Null: nothing that was kept is taken. */
  readonly #kept: KeptRows | null;
  /** Null: other nodes may have written since. */
  readonly #cache: RowCache | null;
  /** Rows were taken from what earlier batches have read, which may not hold any more. */
  usesKept = false;

  constructor(kept: KeptRows | null, cache: RowCache | null) {
    this.#kept = kept;
    this.#cache = cache;
  }

  /** Whether no other node can write the row until this transaction ends; a cached row is then taken in. */
  isLocked(table: AnyTable, text: string): boolean {
    return (this.#locked.get(table)?.has(text) ?? false) || this.#takeCached(table, text);
  }

  noteLocked(table: AnyTable, text: string, row: AnyRow | undefined): void {
    const locked = this.#locked.get(table) ?? new Map<string, AnyRow | undefined>();
    this.#locked.set(table, locked.set(text, row));
  }

  /** A row of a table by its key; null: it must be read first. */
  find(table: AnyTable, text: string): Entry | null {
    const entry = this.rows.of(table).find(text);
    if (entry && (entry.isKnown || entry.isDirty)) return entry;
    if (this.#takeCached(table, text)) return this.rows.of(table).entry(text);
    const kept = this.#kept?.get(table, text);
    if (kept === undefined) return null;
    this.usesKept = true;
    const read = this.rows.of(table).entry(text);
    this.rows.of(table).read(read, kept);
    return read;
  }

  /** Whether a list of this name is at hand. */
  hasList(index: Index, name: string): boolean {
    if (this.lists.has(name)) return true;
    const kept = this.#kept?.list(index, name);
    if (kept === undefined) return false;
    this.usesKept = true;
    const entries = kept.rows.map((row) => this.take(index.table, row));
    this.lists.set(name, { limit: kept.limit, base: { entries, isComplete: kept.isComplete } });
    return true;
  }

  /** Takes in a row that was read. */
  take(table: AnyTable, row: AnyRow): Entry {
    const rows = this.rows.of(table);
    const entry = rows.entryOf(row);
    if (!entry.isKnown) rows.read(entry, row);
    return entry;
  }

  /** Takes in a row that was locked, or (undefined) that there is none. */
  takeLocked(table: AnyTable, text: string, row: AnyRow | undefined): void {
    this.noteLocked(table, text, row);
    this.#readLocked(this.rows.of(table), text, row);
  }

  /** Takes in a cached row, as if it were locked: no other node writes. */
  #takeCached(table: AnyTable, text: string): boolean {
    const row = this.#cache?.get(table, text);
    if (row === undefined) return false;
    this.takeLocked(table, text, row);
    return true;
  }

  /** Forgets what was read without a lock, and whatever commands have written. */
  startAnew(): void {
    this.#forget();
    for (const [table, locked] of this.#locked) {
      const rows = this.rows.of(table);
      for (const [text, row] of locked) this.#readLocked(rows, text, row);
    }
  }

  /** Statements have changed rows, of these tables or (undefined) of any. */
  forgetChanged(tables: readonly AnyTable[] | undefined): void {
    if (tables) {
      this.rows.forget(tables);
      for (const table of tables) this.#locked.delete(table);
      this.#forgetReads();
      return;
    }
    this.#forget();
    this.#locked.clear();
  }

  /** Forgets what was read and written. A command with a transaction of its own goes on with the same `rows`. */
  #forget(): void {
    this.rows.clear();
    this.#forgetReads();
  }

  /** Forgets what was read otherwise than row by row. */
  #forgetReads(): void {
    this.peeked.clear();
    this.maxes.clear();
    this.counts.clear();
    this.octets.clear();
    this.lists.clear();
  }

  #readLocked(rows: TableRows, text: string, row: AnyRow | undefined): void {
    const entry = rows.entry(text);
    rows.read(entry, row);
    const made = this.made.get(rows.table)?.get(text);
    // Nobody has written it: to commands it is not there until one of them does.
    if (made !== undefined) {
      entry.stored = made;
      entry.row = undefined;
    }
  }
}
