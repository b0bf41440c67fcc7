import { events } from '../../core/events/events.ts';
import type { Retention } from '../../core/events/retention.ts';
import type { EventPlace, StoredEvent } from '../../core/events/stream.ts';
import type { StreamRow } from '../../core/events/streams.ts';
import type { EmittedEvent } from '../../core/storage/command.ts';
import type { Changes, Entry } from '../../core/storage/rows.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
import { type ArrayColumn, arrays, columnArrays } from './array-columns.ts';
import type { Connection } from './connection.ts';
import type { PhysicalColumn, PhysicalTable, PhysicalTables } from './physical-table.ts';
import type { RankCounts } from './rank-counts.ts';
import type { RowsAtHand } from './rows-at-hand.ts';
import { Texts } from './texts.ts';

/** A full stream lets go of so many events at a time at most. */
const forgottenAtOnce = 128;

/** A stream as it is read: with the place of its last event in the order of commits. */
type PlacedStreamRow = StreamRow & {
  readonly lastLane?: number | null;
  readonly lastPosition?: number | null;
};

export interface BatchWriterOptions {
  readonly tables: PhysicalTables;
  readonly ranks: RankCounts;
  readonly retention: Retention;
}

/** What a batch is written as: which lane, and where the lane's events stand. */
export interface WriterPlace {
  readonly lane: number;
  /** Of the batch. */
  readonly n: number;
  /** Of the lane's last event so far. */
  position: number;
  readonly epoch: string;
}

/** A row as it is, and as it was. */
interface Update {
  readonly row: AnyRow;
  readonly stored: AnyRow;
}

/** An event with its place in the lane, and that of the stream's event before it, where that is another lane's. */
interface PlacedEvent {
  readonly row: AnyRow;
  readonly position: number;
  readonly after: EventPlace | null;
}

interface NamedColumn extends ArrayColumn<AnyRow> {
  readonly name: string;
}

/** Of a stream's last event. */
const lastPlace: readonly NamedColumn[] = [
  { name: 'last_lane', type: 'int', of: ({ lastLane }) => lastLane ?? null },
  { name: 'last_position', type: 'bigint', of: ({ lastPosition }) => lastPosition ?? null },
];

const texts = new Texts();

/** Writes what the commands of a transaction have changed: one statement for each kind of change of a table. */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  readonly #connection: Connection;
  readonly #place: WriterPlace;
  /** Something was changed that is remembered by queries. */
  changedRemembered = false;
  /** Ranked tables were written: what they are ranked by must not have changed meanwhile. */
  hasRanked = false;
  readonly stored: StoredEvent[] = [];
  #moves = 0;

  constructor(connection: Connection, place: WriterPlace, options: BatchWriterOptions) {
    this.#connection = connection;
    this.#place = place;
    this.#options = options;
  }

  /** Sends the statements, takes the events among the changes out of `emitted`, and adds them to `stored`. */
  write(hand: RowsAtHand, now: number, emitted: EmittedEvent[]): Promise<unknown>[] {
    const sent: Promise<unknown>[] = [];
    const { tables } = this.#options;
    const changes = hand.rows
      .changes()
      .sort((one, other) => tables.of(one.rows.table).place - tables.of(other.rows.table).place);
    for (const { rows, removed } of changes.toReversed()) {
      if (removed.length > 0) this.#remove(sent, tables.of(rows.table), removed);
    }
    const toForget: [stream: string, seq: number][] = [];
    let placed: ReadonlyMap<string, EventPlace | null> = new Map();
    for (const change of changes) {
      const table = tables.of(change.rows.table);
      if (table.isStreams) placed = this.#writeStreams(sent, table, change, now, emitted, toForget);
      else if (table.table === (events as AnyTable)) this.#writeEvents(sent, table, change, emitted, placed);
      else this.#put(sent, table, change.puts);
    }
    this.#removeMade(sent, hand);
    if (toForget.length > 0) {
      const text = `DELETE FROM events AS e USING unnest($1::uuid[], $2::bigint[]) AS k(stream, seq)
        WHERE e.stream_id = k.stream AND e.seq <= k.seq`;
      const columns: ArrayColumn<[stream: string, seq: number]>[] = [
        { type: 'uuid', of: ([stream]) => tables.ids.of(stream) },
        { type: 'bigint', of: ([, seq]) => seq },
      ];
      sent.push(this.#connection.run(text, columnArrays(toForget, columns)));
    }
    if (changes.length > 0) hand.rows.flushed();
    return sent;
  }

  #put(sent: Promise<unknown>[], table: PhysicalTable, puts: readonly Entry[]): void {
    const inserts: AnyRow[] = [];
    const upserts: AnyRow[] = [];
    /** By the columns that differ: the sum of a power of two for each. */
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
    const { remembered, ranked } = table.table;
    const isOverwritten = upserts.length + updates.size > 0;
    if (remembered !== null && (isOverwritten || (remembered === 'lists' && inserts.length > 0))) {
      this.changedRemembered = true;
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
    if (table.table.remembered !== null) this.changedRemembered = true;
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
    extra: readonly NamedColumn[] = [],
  ): void {
    const changed = [...columns.map(({ physicalName }) => physicalName), ...extra.map(({ name }) => name)];
    const name = `${table.table.name} update ${changed.join()}`;
    const arrayColumns: ArrayColumn<Update>[] = [
      ...table.keyed.map(({ type, of }) => ({ type, of: ({ stored }: Update) => of(stored) })),
      ...[...table.writeColumns(columns), ...extra].map(({ type, of }) => ({
        type,
        of: ({ row }: Update) => of(row),
      })),
    ];
    const text = texts.of(name, () => {
      const keys = table.key.map((_, at) => `k${at}`);
      const set = changed.map((one, at) => `${one} = u.c${at}`);
      return `UPDATE ${table.table.name} AS t SET ${set.join(', ')}
        FROM unnest(${arrays(arrayColumns)}) AS u(${[...keys, ...changed.map((_, at) => `c${at}`)].join(', ')})
        WHERE ${table.key.map((column, at) => `t.${table.searched(column)} = u.k${at}`).join(' AND ')}`;
    });
    sent.push(this.#connection.run(text, columnArrays(rows, arrayColumns)));
  }

  #rank(sent: Promise<unknown>[], table: PhysicalTable, entries: readonly Entry[]): void {
    const { ranks } = this.#options;
    this.hasRanked = true;
    this.#moves += ranks.moved(sent, this.#connection, table.table, entries, this.#place, this.#moves);
  }

  /**
   * Streams with the place of their last event, which the next event of the stream names if it is written in another lane.
   * Answers these places as they were.
   */
  #writeStreams(
    sent: Promise<unknown>[],
    table: PhysicalTable,
    { puts }: Changes,
    now: number,
    emitted: readonly EmittedEvent[],
    toForget: [stream: string, seq: number][],
  ): ReadonlyMap<string, EventPlace | null> {
    const { maximumAgeMs } = this.#options.retention;
    const { lane } = this.#place;
    const before = new Map<string, EventPlace | null>();
    const lastOf = new Map<string, number>();
    for (const [at, { stream }] of emitted.entries()) lastOf.set(stream, this.#place.position + at + 1);
    const inserted: AnyRow[] = [];
    const updated: Update[] = [];
    const untold: Entry[] = [];
    for (const entry of puts) {
      const row = entry.row as unknown as PlacedStreamRow;
      const last = entry.stored as unknown as PlacedStreamRow | undefined;
      const { lastLane = null, lastPosition = null } = last ?? {};
      before.set(
        row.name,
        lastLane === null || lastPosition === null ? null : { lane: lastLane, position: lastPosition },
      );
      if (row.seq === 0) {
        if (last !== undefined && last.seq === 0) untold.push(entry); // was locked, and nothing was said in it
        entry.row = undefined;
        continue;
      }
      const { name, wallet, seq, firstSeq, trimAt } = this.#withinCount(row, toForget);
      const isNew = last === undefined || last.seq === 0;
      const place = lastOf.get(name);
      const placed: AnyRow = {
        name,
        wallet,
        seq,
        firstSeq,
        trimAt: isNew ? now + maximumAgeMs : trimAt,
        lastLane: place === undefined ? (row.lastLane ?? null) : lane,
        lastPosition: place ?? row.lastPosition ?? null,
      };
      entry.row = placed;
      if (entry.stored === undefined) inserted.push(placed);
      else updated.push({ row: placed, stored: entry.stored });
    }
    if (updated.length > 0) {
      const changing = table.columns.filter(({ name }) => ['seq', 'firstSeq', 'trimAt'].includes(name));
      this.#update(sent, table, changing, updated, lastPlace);
    }
    if (inserted.length > 0) this.#insertStreams(sent, table, inserted);
    if (untold.length > 0) this.#remove(sent, table, untold);
    return before;
  }

  #insertStreams(sent: Promise<unknown>[], table: PhysicalTable, rows: readonly AnyRow[]): void {
    const columns = table.columns.map(({ physicalName }) => physicalName);
    const arrayColumns = [...table.written, ...table.keyed, ...lastPlace];
    const text = texts.of(
      'streams insert',
      () =>
        `INSERT INTO streams (${columns.join(', ')}, id, last_lane, last_position) SELECT * FROM unnest(${arrays(arrayColumns)})`,
    );
    sent.push(this.#connection.run(text, columnArrays(rows, arrayColumns)));
  }

  /** A full stream lets go of its oldest events as new ones come, so no clean-up ever has much to do. */
  #withinCount(row: StreamRow, toForget: [stream: string, seq: number][]): StreamRow {
    const { maximumCount } = this.#options.retention;
    const lastToForget = row.seq - maximumCount;
    if (lastToForget - row.firstSeq < Math.min(forgottenAtOnce, maximumCount >> 3)) return row;
    toForget.push([row.name, lastToForget]);
    return { ...row, firstSeq: lastToForget + 1 };
  }

  #writeEvents(
    sent: Promise<unknown>[],
    table: PhysicalTable,
    { puts }: Changes,
    emitted: EmittedEvent[],
    placed: ReadonlyMap<string, EventPlace | null>,
  ): void {
    const { lane, epoch } = this.#place;
    const told = new Set<string>();
    const inserted: PlacedEvent[] = [];
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
      const { stream, seq, name, record, audience } = event;
      const before = told.has(stream) ? null : (placed.get(stream) ?? null);
      told.add(stream);
      const after = before !== null && before.lane !== lane ? before : null;
      const position = ++this.#place.position;
      inserted.push({ row, position, after });
      this.stored.push({ stream, seq, name, record, audience, epoch, lane, position, after });
    }
    emitted.splice(0, at);
    if (changed.length > 0) {
      this.#update(sent, table, table.columnsOf(['name', 'record', 'at']), changed);
    }
    if (inserted.length === 0) return;
    const columns = table.columns.map(({ physicalName }) => physicalName);
    const arrayColumns: ArrayColumn<PlacedEvent>[] = [
      ...table.written.map(({ type, of }) => ({ type, of: (one: PlacedEvent) => of(one.row) })),
      { type: 'int', of: () => lane },
      { type: 'bigint', of: ({ position }) => position },
      { type: 'int', of: ({ after }) => after?.lane ?? null },
      { type: 'bigint', of: ({ after }) => after?.position ?? null },
    ];
    const text = texts.of(
      'events insert',
      () => `INSERT INTO events (${columns.join(', ')}, lane, position, after_lane, after_position)
        SELECT * FROM unnest(${arrays(arrayColumns)})`,
    );
    sent.push(this.#connection.run(text, columnArrays(inserted, arrayColumns)));
  }

  /** Rows that were made to be locked by commands that then refused. */
  #removeMade(sent: Promise<unknown>[], hand: RowsAtHand): void {
    for (const [of, made] of hand.made) {
      const table = this.#options.tables.of(of);
      const rows = hand.rows.of(of);
      const unwritten = [...made.keys()].flatMap((key) => {
        const entry = rows.find(key);
        return entry && entry.row === undefined && entry.stored !== undefined && !entry.isDirty
          ? [entry]
          : [];
      });
      if (unwritten.length > 0) this.#remove(sent, table, unwritten);
    }
    hand.made.clear();
  }
}
