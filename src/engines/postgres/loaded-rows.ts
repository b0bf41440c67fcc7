import { LRUCache } from 'lru-cache';
import { events } from '../../core/events/tables.ts';
import { type Entry, type ListBase, Rows, type TableRows } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable, Index } from '../../core/storage/table.ts';
import type { ReadCache } from './read-cache.ts';

/**
 * The rows that the commands of one transaction work on, as far as they are in memory: locked and read for them,
 * written by them, or cached by earlier transactions.
 */
export class LoadedRows {
  readonly rows = new Rows();
  /** The rows as they were when they were locked. */
  readonly #locked = new Map<AnyTable, Map<string, AnyRow | undefined>>();
  /** Rows that were inserted in order to be locked, and that no command has written yet. */
  readonly inserted = new Map<AnyTable, Map<string, AnyRow>>();
  readonly peeked = new Map<string, AnyRow | undefined>();
  readonly maxes = new Map<string, number>();
  readonly counts = new Map<string, number>();
  readonly lists = new Map<string, { limit: number; base: ListBase }>();
  /** Null: this transaction does not use it. */
  readonly #readCache: ReadCache | null;
  /** Null: other nodes may have written since. */
  readonly #rowCache: RowCache | null;
  /** Rows were taken from the read cache, which may be stale. */
  usesReadCache = false;

  constructor(readCache: ReadCache | null, rowCache: RowCache | null) {
    this.#readCache = readCache;
    this.#rowCache = rowCache;
  }

  /**
   * Whether no other node can write the row until this transaction ends; loads it from the row cache if it is there.
   */
  isLocked(table: AnyTable, text: string): boolean {
    return (this.#locked.get(table)?.has(text) ?? false) || this.#addCached(table, text);
  }

  recordLocked(table: AnyTable, text: string, row: AnyRow | undefined): void {
    const locked = this.#locked.get(table) ?? new Map<string, AnyRow | undefined>();
    this.#locked.set(table, locked.set(text, row));
  }

  /** The row with this key; null: it must be read first. */
  find(table: AnyTable, text: string): Entry | null {
    const entry = this.rows.of(table).find(text);
    if (entry && (entry.isKnown || entry.isDirty)) return entry;
    if (this.#addCached(table, text)) return this.rows.of(table).entry(text);
    const cached = this.#readCache?.get(table, text);
    if (cached === undefined) return null;
    this.usesReadCache = true;
    const read = this.rows.of(table).entry(text);
    this.rows.of(table).read(read, cached);
    return read;
  }

  /** Whether the list of this name is loaded; loads it from the read cache if it is there. */
  hasList(index: Index, name: string): boolean {
    if (this.lists.has(name)) return true;
    const cached = this.#readCache?.getList(index, name);
    if (cached === undefined) return false;
    this.usesReadCache = true;
    const entries = cached.rows.map((row) => this.add(index.table, row));
    this.lists.set(name, { limit: cached.limit, base: { entries, isComplete: cached.isComplete } });
    return true;
  }

  /** Adds a row that was read. */
  add(table: AnyTable, row: AnyRow): Entry {
    const rows = this.rows.of(table);
    const entry = rows.entryOf(row);
    if (!entry.isKnown) rows.read(entry, row);
    return entry;
  }

  /** Adds a row that was locked; undefined: there is none with this key. */
  addLocked(table: AnyTable, text: string, row: AnyRow | undefined): void {
    this.recordLocked(table, text, row);
    this.#readLocked(this.rows.of(table), text, row);
  }

  /** Adds a cached row as locked: no other node writes. */
  #addCached(table: AnyTable, text: string): boolean {
    const row = this.#rowCache?.get(table, text);
    if (row === undefined) return false;
    this.addLocked(table, text, row);
    return true;
  }

  /** Discards what was read without a lock and what commands have written. */
  resetToLocked(): void {
    this.#discard();
    for (const [table, locked] of this.#locked) {
      const rows = this.rows.of(table);
      for (const [text, row] of locked) this.#readLocked(rows, text, row);
    }
  }

  /** Discards what was read without a lock, but nothing that commands have written. */
  discardUnlocked(): void {
    for (const rows of this.rows.tables) {
      const locked = this.#locked.get(rows.table);
      rows.forgetRead((key) => locked?.has(key) ?? false);
    }
    this.#discardReads();
    this.usesReadCache = false;
  }

  /** Invalidates rows that statements have changed, in these tables or (undefined) in any. */
  invalidate(tables: readonly AnyTable[] | undefined): void {
    if (tables) {
      this.rows.forget(tables);
      for (const table of tables) this.#locked.delete(table);
      this.#discardReads();
      return;
    }
    this.#discard();
    this.#locked.clear();
  }

  /** Discards what was read and written. `rows` stays the same object: an exclusive command continues with it. */
  #discard(): void {
    this.rows.clear();
    this.#discardReads();
  }

  /** Discards the results of reads other than of single rows. */
  #discardReads(): void {
    this.peeked.clear();
    this.maxes.clear();
    this.counts.clear();
    this.lists.clear();
  }

  #readLocked(rows: TableRows, text: string, row: AnyRow | undefined): void {
    const entry = rows.entry(text);
    rows.read(entry, row);
    const inserted = this.inserted.get(rows.table)?.get(text);
    // For commands the row does not exist until one of them has written it.
    if (inserted !== undefined) {
      entry.stored = inserted;
      entry.row = undefined;
    }
  }
}

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
