import type { Database, Statement } from 'better-sqlite3';
import { events } from '../../core/events/events.ts';
import type { Retention } from '../../core/events/retention.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import { type StreamRow, streams } from '../../core/events/streams.ts';
import type { EmittedEvent } from '../../core/storage/command.ts';
import type { Changes, Entry, Rows } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable, Value } from '../../core/storage/table.ts';
import type { Schema } from './schema.ts';

/** A full stream lets go of so many events at a time at most: each time writes pages that nothing else writes. */
const forgottenAtOnce = 128;

export interface BatchWriterOptions {
  epoch: string;
  retention: Retention;
  /** Something was changed that is remembered elsewhere: see `DataVersion`. */
  changedRemembered(): void;
}

/** Writes what the commands of a batch have changed, each row once. */
export class BatchWriter {
  readonly #schema: Schema;
  readonly #rows: Rows;
  readonly #options: BatchWriterOptions;
  readonly #forgetUpTo: Statement<Value[]>;
  /** Streams, with the seq up to which they let go of their events. */
  readonly #toForget: [stream: string, seq: number][] = [];

  constructor(db: Database, schema: Schema, rows: Rows, options: BatchWriterOptions) {
    this.#schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#forgetUpTo = db.prepare('DELETE FROM events WHERE stream_id = ? AND seq <= ?');
  }

  rolledBack(): void {
    this.#toForget.length = 0;
  }

  /**
   * Writes every row that was changed. Takes the events among them out of `emitted`, and adds them to `stored` with
   * their places.
   */
  write(now: number, emitted: EmittedEvent[], stored: StoredEvent[]): void {
    const changes = this.#rows
      .changes()
      .sort((one, other) => this.#schema.placeOf(one.rows.table) - this.#schema.placeOf(other.rows.table));
    let changesRemembered = false;
    for (const { rows, removed } of changes.toReversed()) {
      for (const entry of removed) this.#remove(rows.table, entry);
      if (removed.length > 0 && rows.table.remembered !== null) changesRemembered = true;
    }
    for (const change of changes) {
      if (change.rows.table === (streams as AnyTable)) this.#writeStreams(change, now);
      else if (change.rows.table === (events as AnyTable)) this.#writeEvents(change, emitted, stored);
      else if (this.#put(change)) changesRemembered = true;
    }
    // Behind the new events, of which there may be more than are kept.
    for (const [stream, seq] of this.#toForget.splice(0)) {
      this.#forgetUpTo.run(this.#schema.dictionaries.streams.idOf(stream), seq);
    }
    for (const ranked of this.#schema.rankedTables) ranked.flush();
    if (changesRemembered) this.#options.changedRemembered();
    if (changes.length > 0) this.#rows.flushed();
  }

  /** Whether something was changed that is remembered elsewhere. */
  #put({ rows: { table }, puts }: Changes): boolean {
    const statements = this.#schema.of(table);
    const ranked = this.#schema.rankedBy(table);
    const order = this.#schema.partialOrderOf(table);
    let changesRemembered = table.remembered === 'lists' && puts.length > 0;
    for (const { row, stored, isKnown } of puts) {
      if (row === undefined) continue;
      if (table.ranked) ranked?.ensure(String(row[table.ranked.group]));
      if (stored !== undefined) {
        statements.update(row, stored);
        changesRemembered ||= table.remembered !== null;
      } else if (isKnown) statements.insert(row);
      else {
        statements.upsert(row);
        changesRemembered ||= table.remembered !== null;
      }
      ranked?.changed(stored, row);
      order?.changed(stored, row);
    }
    return changesRemembered;
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
    const { streams: numbers } = this.#schema.dictionaries;
    const statements = this.#schema.of(streams as AnyTable);
    for (const entry of puts) {
      const row = entry.row as unknown as StreamRow;
      if (entry.stored !== undefined) {
        entry.row = this.#withinCount(row) as unknown as AnyRow;
        statements.update(entry.row, entry.stored);
      } else if (row.seq === 0) {
        entry.row = undefined; // was locked, and nothing was said in it
      } else {
        const begun = this.#withinCount({ ...row, trimAt: now + maxAgeMs });
        entry.row = begun as unknown as AnyRow;
        numbers.remember(row.name, statements.insert(entry.row));
      }
    }
  }

  /** A full stream lets go of its oldest events as new ones come, so no clean-up ever has much to do. */
  #withinCount(row: StreamRow): StreamRow {
    const { maxCount } = this.#options.retention;
    const lastToForget = row.seq - maxCount;
    if (lastToForget - row.firstSeq < Math.min(forgottenAtOnce, maxCount >> 3)) return row;
    this.#toForget.push([row.name, lastToForget]);
    return { ...row, firstSeq: lastToForget + 1 };
  }

  /** New ones in the order they were emitted, which gives them their positions. */
  #writeEvents({ puts }: Changes, emitted: EmittedEvent[], stored: StoredEvent[]): void {
    const statements = this.#schema.of(events as AnyTable);
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
      stored.push({ ...event, epoch: this.#options.epoch, lane: 0, position, after: null });
    }
    emitted.splice(0, at);
  }
}
