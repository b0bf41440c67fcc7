import type { Request } from '../../core/storage/command.ts';
import { peekAt } from '../../core/storage/peek.ts';
import {
  type Entry,
  isUnderPrefix,
  type ListBase,
  listNow,
  type Rows,
  type TableRows,
} from '../../core/storage/rows.ts';
import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  isIndex,
  keyOf,
  type Value,
} from '../../core/storage/table.ts';
import type { Schema } from './schema.ts';

const noRows: readonly AnyRow[] = [];

/** Reads the rows that commands request, including changes by earlier commands of the batch. */
export class BatchLoader {
  readonly #schema: Schema;
  readonly #rows: Rows;

  constructor(schema: Schema, rows: Rows) {
    this.#schema = schema;
    this.#rows = rows;
  }

  get(target: AnyTable | AnyIndex, key: readonly Value[]): Entry | null {
    const text = keyOf(key);
    if (text === null) return null;
    if (!isIndex(target)) return this.#entry(target, text, key);
    const rows = this.#rows.of(target.table);
    const found = rows.foundBy(target);
    let entry = found.get(text);
    if (entry === undefined) {
      const row = this.#schema.of(target.table).get(target.columns, key);
      entry = row ? this.#read(rows, row) : null;
      // One that this batch has read or written may have another key by now.
      if (entry?.isDirty && !found.has(text)) entry = null;
      found.set(text, entry);
    }
    return entry;
  }

  #entry(table: AnyTable, text: string, key: readonly Value[]): Entry {
    const rows = this.#rows.of(table);
    const entry = rows.entry(text);
    if (!entry.isKnown && !entry.isDirty) rows.read(entry, this.#schema.of(table).get(table.key, key));
    return entry;
  }

  peek(table: AnyTable, key: readonly Value[], columns: readonly string[]): AnyRow | undefined {
    const text = keyOf(key);
    if (text === null) return undefined;
    const entry = this.#rows.of(table).find(text);
    if (entry && (entry.isKnown || entry.isDirty)) return peekAt(entry.row, columns);
    return this.#schema.of(table).peek(table.key, key, columns);
  }

  max(index: Index, prefix: readonly Value[]): number {
    const column = index.columns[prefix.length] ?? '';
    let max = this.#schema.of(index.table).max(index, prefix);
    for (const { row } of this.#rows.of(index.table).writtenUnder(index, prefix) ?? []) {
      max = Math.max(max, Number(row?.[column] ?? 0));
    }
    return max;
  }

  count(index: Index, prefix: readonly Value[], limit: number): number {
    const rows = this.#rows.of(index.table);
    const written = rows.writtenUnder(index, prefix) ?? [];
    const isUnder = isUnderPrefix(index, prefix);
    let change = 0;
    let removed = 0;
    for (const { row, stored } of written) {
      change += Number(isUnder(row)) - Number(isUnder(stored));
      removed += Number(isUnder(stored));
    }
    // Any of the counted rows may have been removed in this batch.
    const counted = this.#schema.of(index.table).countUpTo(index, prefix, limit + removed);
    return Math.min(limit, counted + change);
  }

  #read(rows: TableRows, row: AnyRow): Entry {
    const entry = rows.entryOf(row);
    if (!entry.isKnown) rows.read(entry, row);
    return entry;
  }

  list(
    index: Index,
    prefix: readonly Value[],
    options: NonNullable<Request<unknown>['list']>,
  ): readonly AnyRow[] {
    const rows = this.#rows.of(index.table);
    const { limit, last = false, after } = options;
    const isCached = rows.table.isCachedByWriter && after === undefined && rows.dirty.length === 0;
    const cached = isCached ? rows.cachedLists.get(index, prefix, limit, last) : undefined;
    if (cached?.entries.length === 0) return noRows;
    for (let wanted = limit; ; wanted *= 4) {
      const base =
        cached && wanted === limit
          ? cached
          : this.#readList(rows, index, prefix, { limit: wanted, last, after });
      const now = listNow(index, prefix, options, base, rows);
      if (!now) continue;
      if (isCached && wanted === limit) rows.cachedLists.set(index, prefix, limit, last, base);
      return now;
    }
  }

  #readList(
    rows: TableRows,
    index: Index,
    prefix: readonly Value[],
    { limit, last, after }: { limit: number; last: boolean; after: AnyRow | undefined },
  ): ListBase {
    const ordered =
      index.builtFrom && this.#schema.partialOrderOf(index.table)?.list(index, prefix[0] ?? null, limit);
    const found = ordered
      ? ordered.map((row) => this.#schema.of(index.table).decode(row))
      : this.#schema.of(index.table).list(index, prefix, { limit, last, after });
    return { entries: found.map((row) => this.#read(rows, row)), isComplete: found.length < limit };
  }
}
