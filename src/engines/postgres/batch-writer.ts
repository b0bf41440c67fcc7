import type { Retention } from '../../core/events/retention.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import { events } from '../../core/events/tables.ts';
import type { EmittedEvent } from '../../core/storage/command.ts';
import type { Entry } from '../../core/storage/rows.ts';
import type { AnyRow } from '../../core/storage/table.ts';
import { arrays, columnArrays } from './array-columns.ts';
import type { Connection } from './connection.ts';
import { EventWriter, type Fence, type WriterPlace } from './event-writer.ts';
import type { LoadedRows } from './loaded-rows.ts';
import type { PhysicalColumn, PhysicalTable, PhysicalTables } from './physical-table.ts';
import type { RankCounts } from './rank-counts.ts';
import { Texts } from './texts.ts';
import { type Update, updateColumns, updateText } from './updates.ts';

export interface BatchWriterOptions {
  readonly tables: PhysicalTables;
  readonly ranks: RankCounts;
  readonly retention: Retention;
}

const texts = new Texts();

/** Writes the changes of a transaction's commands: one statement per table and kind of change. */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  readonly #connection: Connection;
  readonly #place: WriterPlace;
  /** Rows that cached query results depend on were changed. */
  changedCacheable = false;
  /** Rows of leaderboards were changed. */
  changedBoards = false;
  readonly #events: EventWriter;
  #moves = 0;
  #generation: number | null = null;

  constructor(connection: Connection, place: WriterPlace, options: BatchWriterOptions) {
    this.#connection = connection;
    this.#place = place;
    this.#options = options;
    this.#events = new EventWriter(connection, place, options.retention, options.tables);
  }

  /** The events written so far. */
  get stored(): readonly StoredEvent[] {
    return this.#events.stored;
  }

  /**
   * Sends the statements except those of streams and events, which `sendEvents` sends next; removes the new events
   * among the changes from `emitted`. `generation`: the ranking generation that the batch has read; null: it is
   * exclusive.
   */
  write(
    loaded: LoadedRows,
    now: number,
    emitted: EmittedEvent[],
    generation: number | null,
  ): Promise<unknown>[] {
    this.#generation = generation;
    const sent: Promise<unknown>[] = [];
    const { tables } = this.#options;
    const changes = loaded.rows
      .changes()
      .sort((one, other) => tables.of(one.rows.table).place - tables.of(other.rows.table).place);
    for (const { rows, removed } of changes.toReversed()) {
      if (removed.length > 0) this.#remove(sent, tables.of(rows.table), removed);
    }
    for (const change of changes) {
      const table = tables.of(change.rows.table);
      if (table.isStreams) {
        const emptyStreams = this.#events.collectStreams(sent, change, now, emitted);
        if (emptyStreams.length > 0) this.#remove(sent, table, emptyStreams);
      } else if (table.table === events) {
        const changed = this.#events.collectEvents(change, emitted);
        if (changed.length > 0) this.#update(sent, table, table.columnsOf(['name', 'record', 'at']), changed);
      } else this.#put(sent, table, change.puts);
    }
    this.#removeUnwritten(sent, loaded);
    if (changes.length > 0) loaded.rows.flushed();
    return sent;
  }

  /** Sends the statements that `write` has left; with a fence, the commit must follow. */
  sendEvents(fence: Fence | null): Promise<unknown>[] {
    const sent: Promise<unknown>[] = [];
    this.#events.send(sent, fence);
    return sent;
  }

  #put(sent: Promise<unknown>[], table: PhysicalTable, puts: readonly Entry[]): void {
    const inserts: AnyRow[] = [];
    const upserts: AnyRow[] = [];
    /** By the bit mask of the columns that differ. */
    const updates = new Map<number, Update[]>();
    for (const { row, stored, isKnown } of puts) {
      if (row === undefined) continue;
      if (stored === undefined) (isKnown ? inserts : upserts).push(row);
      else {
        let differing = 0;
        for (let at = 0; at < table.columns.length; at++) {
          const name = table.columns[at]?.name ?? '';
          if (row[name] !== stored[name]) differing += 2 ** at;
        }
        if (differing === 0) continue;
        const rows = updates.get(differing);
        if (rows) rows.push({ row, stored });
        else updates.set(differing, [{ row, stored }]);
      }
    }
    if (inserts.length > 0) this.#insert(sent, table, inserts, false);
    if (upserts.length > 0) this.#insert(sent, table, upserts, true);
    for (const [differing, rows] of updates) {
      const columns = table.columns.filter((_, at) => Math.floor(differing / 2 ** at) % 2 === 1);
      this.#update(sent, table, columns, rows);
    }
    const { cacheable, ranked } = table.table;
    const isOverwritten = upserts.length + updates.size > 0;
    if (cacheable !== null && (isOverwritten || (cacheable === 'lists' && inserts.length > 0))) {
      this.changedCacheable = true;
    }
    if (ranked) this.#rank(sent, table, puts);
  }

  #remove(sent: Promise<unknown>[], table: PhysicalTable, removed: readonly Entry[]): void {
    const rows = removed
      .map(({ stored, overwritten }) => stored ?? overwritten)
      .filter((row) => row !== undefined);
    if (rows.length === 0) return;
    const names = table.key.map((_, at) => `c${at}`);
    const text = texts.of(
      `${table.table.name} delete`,
      () => `DELETE FROM ${table.table.name} AS t
        USING unnest(${arrays(table.keyed)}) AS k(${names.join(', ')})
        WHERE ${table.key.map((column, at) => `t.${table.searched(column)} = k.c${at}`).join(' AND ')}`,
    );
    sent.push(this.#connection.run(text, columnArrays(rows, table.keyed)));
    if (table.table.cacheable !== null) this.changedCacheable = true;
    if (table.table.ranked) this.#rank(sent, table, removed);
  }

  #insert(sent: Promise<unknown>[], table: PhysicalTable, rows: readonly AnyRow[], isOver: boolean): void {
    const { name } = table.table;
    const columns = table.columns.map(({ physicalName }) => physicalName);
    const text = texts.of(`${name} insert ${isOver}`, () => {
      const key = table.key.map(({ physicalName }) => physicalName);
      const rest = columns.filter((one) => !key.includes(one)).map((one) => `${one} = excluded.${one}`);
      const over = rest.length > 0 ? `DO UPDATE SET ${rest.join(', ')}` : 'DO NOTHING';
      return `INSERT INTO ${name} (${columns.join(', ')})
        SELECT * FROM unnest(${arrays(table.written)})${isOver ? ` ON CONFLICT (${key.join(', ')}) ${over}` : ''}`;
    });
    sent.push(this.#connection.run(text, columnArrays(rows, table.written)));
  }

  #update(
    sent: Promise<unknown>[],
    table: PhysicalTable,
    columns: readonly PhysicalColumn[],
    rows: readonly Update[],
  ): void {
    const changed = table.writeColumns(columns);
    const name = `${table.table.name} update ${changed.map((column) => column.name).join()}`;
    const text = texts.of(name, () => updateText(table, changed));
    sent.push(this.#connection.run(text, columnArrays(rows, updateColumns(table, changed))));
  }

  #rank(sent: Promise<unknown>[], table: PhysicalTable, entries: readonly Entry[]): void {
    this.changedBoards ||= entries.length > 0;
    const { ranks } = this.#options;
    const batch = { ...this.#place, from: this.#moves, generation: this.#generation };
    this.#moves += ranks.moves.record(sent, this.#connection, table.table, entries, batch);
  }

  /** Removes rows that were inserted in order to be locked, and that no command has written. */
  #removeUnwritten(sent: Promise<unknown>[], loaded: LoadedRows): void {
    for (const [of, inserted] of loaded.inserted) {
      const table = this.#options.tables.of(of);
      const rows = loaded.rows.of(of);
      const unwritten = [...inserted.keys()].flatMap((key) => {
        const entry = rows.find(key);
        return entry && entry.row === undefined && entry.stored !== undefined && !entry.isDirty
          ? [entry]
          : [];
      });
      if (unwritten.length > 0) this.#remove(sent, table, unwritten);
    }
    loaded.inserted.clear();
  }
}
