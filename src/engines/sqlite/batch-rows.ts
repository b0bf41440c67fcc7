import type { Database, Statement } from 'better-sqlite3';
import type { Retention } from '../../core/events/retention.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import { events, type StreamRow, streams } from '../../core/events/tables.ts';
import type { EmittedEvent, Request } from '../../core/storage/command.ts';
import { peekAt } from '../../core/storage/peek.ts';
import {
  type Changes,
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
import { prepare } from './prepare.ts';
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

/** A full stream is trimmed in batches of this size: each trim writes pages that would otherwise not be written. */
const trimBatch = 128;

export interface BatchWriterOptions {
  epoch: string;
  retention: Retention;
  /** Called when data was changed that is cached elsewhere: see `DataVersion`. */
  changedCacheable(): void;
}

/** Writes the changes of a batch, each row once. */
export class BatchWriter {
  readonly #schema: Schema;
  readonly #rows: Rows;
  readonly #options: BatchWriterOptions;
  readonly #trimUpTo: Statement<Value[]>;
  /** Streams to be trimmed, with the last seq to delete. */
  readonly #toTrim: [stream: string, seq: number][] = [];

  constructor(db: Database, schema: Schema, rows: Rows, options: BatchWriterOptions) {
    this.#schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#trimUpTo = prepare(db, 'DELETE FROM events WHERE stream_id = ? AND seq <= ?');
  }

  rolledBack(): void {
    this.#toTrim.length = 0;
  }

  /**
   * Writes all changed rows. Moves the written events from `emitted` to `stored`, with their positions.
   */
  write(now: number, emitted: EmittedEvent[], stored: StoredEvent[]): void {
    const changes = this.#rows
      .changes()
      .sort((one, other) => this.#schema.placeOf(one.rows.table) - this.#schema.placeOf(other.rows.table));
    let changesCacheable = false;
    for (const { rows, removed } of changes.toReversed()) {
      for (const entry of removed) this.#remove(rows.table, entry);
      if (removed.length > 0 && rows.table.cacheable !== null) changesCacheable = true;
    }
    for (const change of changes) {
      if (change.rows.table === streams) this.#writeStreams(change, now);
      else if (change.rows.table === events) this.#writeEvents(change, emitted, stored);
      else if (this.#put(change)) changesCacheable = true;
    }
    // After inserting new events, because there may be more of them than the maximum count.
    for (const [stream, seq] of this.#toTrim.splice(0)) {
      this.#trimUpTo.run(this.#schema.dictionaries.streams.idOf(stream), seq);
    }
    for (const ranked of this.#schema.rankedTables) ranked.flush();
    if (changesCacheable) this.#options.changedCacheable();
    if (changes.length > 0) this.#rows.flushed();
  }

  /** Returns whether data was changed that is cached elsewhere. */
  #put({ rows: { table }, puts }: Changes): boolean {
    const statements = this.#schema.of(table);
    const ranked = this.#schema.rankedBy(table);
    const order = this.#schema.partialOrderOf(table);
    let changesCacheable = table.cacheable === 'lists' && puts.length > 0;
    for (const { row, stored, isKnown } of puts) {
      if (row === undefined) continue;
      if (table.ranked) ranked?.ensure(String(row[table.ranked.group]));
      if (stored !== undefined) {
        statements.update(row, stored);
        changesCacheable ||= table.cacheable !== null;
      } else if (isKnown) statements.insert(row);
      else {
        statements.upsert(row);
        changesCacheable ||= table.cacheable !== null;
      }
      ranked?.changed(stored, row);
      order?.changed(stored, row);
    }
    return changesCacheable;
  }

  #remove(table: AnyTable, { stored, overwritten }: Entry): void {
    const row = stored ?? overwritten;
    if (row === undefined) return;
    this.#schema.of(table).remove(row);
    if (stored === undefined) return;
    this.#schema.rankedBy(table)?.changed(stored, undefined);
    this.#schema.partialOrderOf(table)?.changed(stored, undefined);
  }

  #writeStreams({ puts }: Changes, now: number): void {
    const { maxAgeMs } = this.#options.retention;
    const { streams: dictionary } = this.#schema.dictionaries;
    const statements = this.#schema.of(streams);
    for (const entry of puts) {
      const row = entry.row as unknown as StreamRow;
      if (entry.stored !== undefined) {
        entry.row = this.#withinCount(row) as unknown as AnyRow;
        statements.update(entry.row, entry.stored);
      } else if (row.seq === 0) {
        entry.row = undefined; // it was locked, but nothing was emitted
      } else {
        const created = this.#withinCount({ ...row, trimAt: now + maxAgeMs });
        entry.row = created as unknown as AnyRow;
        dictionary.remember(row.name, statements.insert(entry.row));
      }
    }
  }

  /** A full stream is trimmed as new events are written, so that clean-up never has much to do. */
  #withinCount(row: StreamRow): StreamRow {
    const { maxCount } = this.#options.retention;
    const lastToTrim = row.seq - maxCount;
    if (lastToTrim - row.firstSeq < Math.min(trimBatch, maxCount >> 3)) return row;
    this.#toTrim.push([row.name, lastToTrim]);
    return { ...row, firstSeq: lastToTrim + 1 };
  }

  /** Inserts new events in the order they were emitted, which determines their positions. */
  #writeEvents({ puts }: Changes, emitted: EmittedEvent[], stored: StoredEvent[]): void {
    const statements = this.#schema.of(events);
    let at = 0;
    for (const { row, stored: before } of puts) {
      if (row === undefined) continue;
      if (before !== undefined) {
        statements.update(row, before);
        continue;
      }
      const position = statements.insert(row);
      const event = emitted[at++];
      if (!event || event.seq !== row.seq || event.stream !== row.stream) {
        throw new Error('an event was written that no command emitted');
      }
      const { stream, seq, name, audience } = event;
      const { epoch } = this.#options;
      const record = String(row.record);
      stored.push({ stream, seq, name, record, audience, epoch, lane: 0, position, after: null });
    }
    emitted.splice(0, at);
  }
}
