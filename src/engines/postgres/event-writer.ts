import type { Retention } from '../../core/events/retention.ts';
import type { EventPlace, StoredEvent } from '../../core/events/stream.ts';
import { events, type StreamRow, streams } from '../../core/events/tables.ts';
import type { EmittedEvent } from '../../core/storage/command.ts';
import type { Changes, Entry } from '../../core/storage/rows.ts';
import type { AnyRow } from '../../core/storage/table.ts';
import { type ArrayColumn, arrays, columnArrays, type NamedColumn } from './array-columns.ts';
import type { Connection } from './connection.ts';
import type { PhysicalTable, PhysicalTables } from './physical-table.ts';
import { Texts } from './texts.ts';
import { type Update, updateColumns, updateText } from './updates.ts';

/** How many events a full stream may be over its limit before it is trimmed. */
const maxExcessEvents = 128;

/** A stream as it is read, with the lane and position of its last event. */
type PlacedStreamRow = StreamRow & {
  readonly lastLane?: number | null;
  readonly lastPosition?: number | null;
};

/** An event with its position in the lane, and the stream's previous event if that is in another lane. */
interface PlacedEvent {
  readonly row: AnyRow;
  readonly position: number;
  readonly after: EventPlace | null;
}

/** Events beyond a stream's limit. */
interface Trim {
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** Where a batch is written: the lane, its batch number and its last position. */
export interface WriterPlace {
  readonly lane: number;
  /** The number of the batch. */
  readonly n: number;
  /** The position of the lane's last event so far. */
  position: number;
  readonly epoch: string;
}

/**
 * The fencing token of a batch: it commits only while its node owns the lane, at the count where the node left it, and,
 * for a batch that relies on the row cache, while the lane is the sole writer.
 */
export interface Fence {
  readonly lane: number;
  readonly owner: string;
  /** The number of the lane's previous batch. */
  readonly n: number;
  /** By how much the batch raises the version that cached query results depend on. */
  readonly version: number;
  /** The batch relies on the row cache: no other lane may have written since. */
  readonly isSoleWriter: boolean;
}

/** Updates nothing when another node owns the lane; `held` then divides by zero, which fails the transaction. */
const fence = `UPDATE write_lanes SET n = n + 1, position = position + $4, version = version + $5, seen_at = statement_timestamp()
    WHERE lane = $1 AND owner = $2 AND n = $3 AND (sole_writer OR NOT $6::boolean) RETURNING 1`;
const held = '1 / (SELECT count(*) FROM fence) AS held';
const fenceText = `WITH fence AS (${fence}) SELECT ${held}`;

/** The lane and position of a stream's last event. */
const lastPlace: readonly NamedColumn[] = [
  { name: 'last_lane', type: 'int', of: ({ lastLane }) => lastLane ?? null },
  { name: 'last_position', type: 'bigint', of: ({ lastPosition }) => lastPosition ?? null },
];

const texts = new Texts();

/**
 * Writes the streams and events of a batch: last, and in one statement with the fence, because nearly every batch has
 * them, and a statement costs as much as several rows.
 */
export class EventWriter {
  readonly stored: StoredEvent[] = [];
  readonly #connection: Connection;
  readonly #place: WriterPlace;
  readonly #retention: Retention;
  readonly #streams: PhysicalTable;
  readonly #events: PhysicalTable;
  readonly #changedOfStreams: readonly NamedColumn[];
  #updated: Update[] = [];
  #newEvents: PlacedEvent[] = [];
  #trims: Trim[] = [];
  /** The last event of each stream before this batch. */
  #before = new Map<string, EventPlace | null>();

  constructor(connection: Connection, place: WriterPlace, retention: Retention, tables: PhysicalTables) {
    this.#connection = connection;
    this.#place = place;
    this.#retention = retention;
    this.#streams = tables.of(streams);
    this.#events = tables.of(events);
    const changing = this.#streams.columnsOf(['seq', 'firstSeq', 'trimAt']);
    this.#changedOfStreams = [...this.#streams.writeColumns(changing), ...lastPlace];
  }

  /**
   * Collects changed streams, each with the lane and position of its last event, which its next event refers to if it
   * is written in another lane. Returns the streams that were locked and have no events.
   */
  collectStreams(
    sent: Promise<unknown>[],
    { puts }: Changes,
    now: number,
    emitted: readonly EmittedEvent[],
  ): Entry[] {
    const { lane, position } = this.#place;
    this.#before = new Map();
    const lastOf = new Map<string, number>();
    for (let at = 0; at < emitted.length; at++) lastOf.set(emitted[at]?.stream ?? '', position + at + 1);
    const inserted: AnyRow[] = [];
    const emptyStreams: Entry[] = [];
    for (const entry of puts) {
      const row = entry.row as unknown as PlacedStreamRow;
      const last = entry.stored as unknown as PlacedStreamRow | undefined;
      const { lastLane = null, lastPosition = null } = last ?? {};
      const before =
        lastLane === null || lastPosition === null ? null : { lane: lastLane, position: lastPosition };
      this.#before.set(row.name, before);
      if (row.seq === 0) {
        if (last !== undefined && last.seq === 0) emptyStreams.push(entry);
        entry.row = undefined;
        continue;
      }
      const { name, wallet, seq, firstSeq, trimAt } = this.#withinCount(row);
      const isNew = last === undefined || last.seq === 0;
      const place = lastOf.get(name);
      const placed: AnyRow = {
        name,
        wallet,
        seq,
        firstSeq,
        trimAt: isNew ? now + this.#retention.maxAgeMs : trimAt,
        lastLane: place === undefined ? (row.lastLane ?? null) : lane,
        lastPosition: place ?? row.lastPosition ?? null,
      };
      entry.row = placed;
      if (entry.stored === undefined) inserted.push(placed);
      else this.#updated.push({ row: placed, stored: entry.stored });
    }
    if (inserted.length > 0) this.#insertStreams(sent, inserted);
    return emptyStreams;
  }

  /** Collects new events, removing them from `emitted`; returns the stored events that were changed. */
  collectEvents({ puts }: Changes, emitted: EmittedEvent[]): Update[] {
    const { lane, epoch } = this.#place;
    const seenStreams = new Set<string>();
    const changed: Update[] = [];
    let at = 0;
    for (const { row, stored } of puts) {
      if (row === undefined) continue;
      if (stored !== undefined) {
        changed.push({ row, stored });
        continue;
      }
      const event = emitted[at++];
      if (!event || event.seq !== row.seq || event.stream !== row.stream) {
        throw new Error('an event was written that no command emitted');
      }
      const { stream, seq, name, audience } = event;
      const before = seenStreams.has(stream) ? null : (this.#before.get(stream) ?? null);
      seenStreams.add(stream);
      const after = before !== null && before.lane !== lane ? before : null;
      const position = ++this.#place.position;
      this.#newEvents.push({ row, position, after });
      this.stored.push({
        stream,
        seq,
        name,
        record: String(row.record),
        audience,
        epoch,
        lane,
        position,
        after,
      });
    }
    emitted.splice(0, at);
    return changed;
  }

  /** Sends what was collected; with a fence, the commit must follow. */
  send(sent: Promise<unknown>[], by: Fence | null): void {
    const fencing = by ? [by.lane, by.owner, by.n, this.stored.length, by.version, by.isSoleWriter] : [];
    if (this.#updated.length + this.#newEvents.length > 0) {
      const streamColumns = updateColumns(this.#streams, this.#changedOfStreams);
      const eventColumns = this.#eventColumns();
      const text = texts.of(`streams and events ${by !== null}`, () => {
        const changing = updateText(this.#streams, this.#changedOfStreams, fencing.length);
        const telling = this.#insertText(eventColumns, fencing.length + streamColumns.length);
        const written = `WITH updated_streams AS (${changing}), new_events AS (${telling})`;
        return by ? `${written}, fence AS (${fence}) SELECT ${held}` : `${written} SELECT 1 AS done`;
      });
      const changed = columnArrays(this.#updated, streamColumns);
      const newEvents = columnArrays(this.#newEvents, eventColumns);
      sent.push(this.#connection.run(text, [...fencing, ...changed, ...newEvents]));
    } else if (by) sent.push(this.#connection.run(fenceText, fencing));
    this.#updated = [];
    this.#newEvents = [];
    this.#trim(sent);
  }

  /** Deletes events beyond their streams' limits, possibly some that were just written. */
  #trim(sent: Promise<unknown>[]): void {
    if (this.#trims.length === 0) return;
    const columns: ArrayColumn<Trim>[] = [
      { type: 'uuid', of: ({ stream }) => this.#streams.idOf(stream) },
      { type: 'bigint', of: ({ firstSeq }) => firstSeq },
      { type: 'bigint', of: ({ lastSeq }) => lastSeq },
    ];
    // With a lower bound: deleted events stay in the index until it is vacuumed, and a scan would pass over them.
    const text = `DELETE FROM events AS e USING unnest(${arrays(columns)}) AS k(stream, first_seq, last_seq)
      WHERE e.stream_id = k.stream AND e.seq BETWEEN k.first_seq AND k.last_seq`;
    sent.push(this.#connection.run(text, columnArrays(this.#trims, columns)));
    this.#trims = [];
  }

  #insertStreams(sent: Promise<unknown>[], rows: readonly AnyRow[]): void {
    const columns = this.#streams.columns.map(({ physicalName }) => physicalName);
    const arrayColumns = [...this.#streams.written, ...this.#streams.keyed, ...lastPlace];
    const text = texts.of(
      'streams insert',
      () =>
        `INSERT INTO streams (${columns.join(', ')}, id, last_lane, last_position) SELECT * FROM unnest(${arrays(arrayColumns)})`,
    );
    sent.push(this.#connection.run(text, columnArrays(rows, arrayColumns)));
  }

  #eventColumns(): ArrayColumn<PlacedEvent>[] {
    const { lane } = this.#place;
    return [
      ...this.#events.written.map(({ type, of }) => ({ type, of: (one: PlacedEvent) => of(one.row) })),
      { type: 'int', of: () => lane },
      { type: 'bigint', of: ({ position }) => position },
      { type: 'int', of: ({ after }) => after?.lane ?? null },
      { type: 'bigint', of: ({ after }) => after?.position ?? null },
    ];
  }

  #insertText(arrayColumns: readonly ArrayColumn<PlacedEvent>[], from: number): string {
    const columns = this.#events.columns.map(({ physicalName }) => physicalName);
    return `INSERT INTO events (${columns.join(', ')}, lane, position, after_lane, after_position)
      SELECT * FROM unnest(${arrays(arrayColumns, from)})`;
  }

  /** Trims a full stream as new events come, so that no cleanup ever has much to do. */
  #withinCount(row: PlacedStreamRow): PlacedStreamRow {
    const { maxCount } = this.#retention;
    const lastToTrim = row.seq - maxCount;
    if (lastToTrim - row.firstSeq < Math.min(maxExcessEvents, maxCount >> 3)) return row;
    this.#trims.push({ stream: row.name, firstSeq: row.firstSeq, lastSeq: lastToTrim });
    return { ...row, firstSeq: lastToTrim + 1 };
  }
}
