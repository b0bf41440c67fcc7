import type { EventType, RecordOf } from '../events/event.ts';
import type { Audience, NewEvent } from '../events/stream.ts';
import { events, type StreamRow, streams } from '../events/tables.ts';
import type { Peekable, Peeked } from './peek.ts';
import type { Statement } from './query.ts';
import { RowExistsError } from './row-exists.ts';
import type { Entry, ListOptions, Rows } from './rows.ts';
import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  keyOf,
  type Table,
  type Value,
} from './table.ts';

/**
 * A write, declared once for every engine: a generator function that requests rows (`yield* tx.get(…)`), decides, and
 * records what to write. It rejects by throwing a `GantryError`; nothing is changed then.
 *
 * It may be restarted before it has completed (by an engine that loads rows for many commands at once), so all its
 * effects go through `tx`, and nothing escapes before the commit. Arguments and results are plain data.
 */
export interface Command<Args extends unknown[], Result> {
  (tx: Tx, ...args: Args): Steps<Result>;
  /** Runs it with arguments in an array. */
  run(tx: Tx, args: Args): Steps<Result>;
  readonly commandName: string;
  /** It runs in a dedicated transaction, and may run statements in it. */
  readonly isExclusive: boolean;
}

/**
 * A command whose own types are forgotten. `run` is declared as a method, whose parameters TypeScript compares in both
 * directions, so every command is one of these. The arguments are those of the call that named the command, which
 * `Store.write` has checked.
 */
export interface AnyCommand {
  (tx: Tx, ...args: never): Steps<unknown>;
  run(tx: Tx, args: readonly unknown[]): Steps<unknown>;
  readonly commandName: string;
  readonly isExclusive: boolean;
}

export type Steps<Result> = Generator<Request<unknown>, Result, void>;

/** Declares a command. `server/declarations/commands.ts` lists the files that declare commands. */
export function command<Args extends unknown[], Result>(
  commandName: string,
  steps: (tx: Tx, ...args: Args) => Steps<Result>,
): Command<Args, Result> {
  return declared(steps, commandName, false);
}

/**
 * Declares a command that changes many rows at once with statements (`tx.run`), to delete, move or re-rank them. Its
 * dedicated transaction delays all other writes, so it must be bounded or rare.
 */
export function exclusiveCommand<Args extends unknown[], Result>(
  commandName: string,
  steps: (tx: ExclusiveTx, ...args: Args) => Steps<Result>,
): Command<Args, Result> {
  const run = (tx: Tx, ...args: Args) => {
    if (!(tx instanceof ExclusiveTx)) throw new Error(`${commandName} needs a dedicated transaction`);
    return steps(tx, ...args);
  };
  return declared(run, commandName, true);
}

function declared<Args extends unknown[], Result>(
  steps: (tx: Tx, ...args: Args) => Steps<Result>,
  commandName: string,
  isExclusive: boolean,
): Command<Args, Result> {
  return Object.assign(steps, { commandName, isExclusive, run: (tx: Tx, args: Args) => steps(tx, ...args) });
}

export type RequestKind =
  | 'lock'
  | 'get'
  | 'peek'
  | 'count'
  | 'max'
  | 'list'
  | 'all'
  | 'run'
  | 'rows'
  | 'rank'
  | 'flush';

// Shared defaults, to save allocations: every write creates several requests.
const noOptions = {};
const noColumns: readonly string[] = [];
const noParts: readonly Request<unknown>[] = [];
const noValues: Readonly<Record<string, Value>> = {};

/** An operation that a command waits for. It is its own iterator, so that `yield*` returns a typed result. */
export class Request<Result> {
  value!: Result;
  readonly tx: Tx;
  readonly kind: RequestKind;
  readonly target: AnyTable | AnyIndex | null;
  readonly key: readonly Value[];
  /** For `lock`: the row to create when there is none. */
  readonly make: AnyRow | undefined;
  readonly list: ListOptions | undefined;
  /** For `peek`: what to read. */
  readonly columns: readonly string[];
  readonly parts: readonly Request<unknown>[];
  readonly statement: Statement | undefined;
  readonly values: Readonly<Record<string, Value>>;
  /** Set by the engine to deduplicate: requests for the same data have the same name. */
  name: string | undefined = undefined;
  #keyText: string | null | undefined;

  constructor(
    tx: Tx,
    kind: RequestKind,
    target: AnyTable | AnyIndex | null,
    key: readonly Value[],
    {
      make,
      list,
      columns = noColumns,
      parts = noParts,
      statement,
      values = noValues,
    }: {
      make?: AnyRow | undefined;
      list?: ListOptions;
      columns?: readonly string[];
      parts?: readonly Request<unknown>[];
      statement?: Statement;
      values?: Readonly<Record<string, Value>>;
    } = noOptions,
  ) {
    this.tx = tx;
    this.kind = kind;
    this.target = target;
    this.key = key;
    this.make = make;
    this.list = list;
    this.columns = columns;
    this.parts = parts;
    this.statement = statement;
    this.values = values;
  }

  /** The key as text (`keyOf`); null when no row can have it. */
  get keyText(): string | null {
    if (this.#keyText === undefined) this.#keyText = keyOf(this.key);
    return this.#keyText;
  }

  [Symbol.iterator](): Iterator<Request<unknown>, Result, void> {
    return this;
  }

  /** Done immediately when the rows are loaded; otherwise yields itself to the engine, which resumes it later. */
  next(): IteratorResult<Request<unknown>, Result> {
    return this.tx.loader.answer(this) ? { done: true, value: this.value } : { done: false, value: this };
  }
}

/** The engine's side of a command. */
export interface Loader {
  /** Sets the request's value and returns true when it is already loaded. */
  answer(request: Request<unknown>): boolean;
  /** Called before `tx` writes the row for the first time. */
  claim(entry: Entry, tx: Tx): void;
}

/** Provided by engines to the commands of a batch. */
export interface Context {
  /** Unix milliseconds; the same for the whole command. */
  readonly now: number;
  /**
   * Makes an id. A command that is restarted makes the same ids again, in the same order. An id that becomes part of a
   * row when that is locked belongs to the row: name the row with `of`, because the order changes with what is loaded.
   */
  newId(of?: string): string;
  /**
   * Identifies who writes: counters that every write changes are kept once per writer, so that writers do not wait for
   * each other. Only one transaction at a time has the same value: a write lane, or 0 where all writes are serialized.
   */
  readonly writer: number;
  /** Bytes a game may store, unless its policies say otherwise. */
  readonly gameStorageQuota: number;
}

/** Default storage quota of a game, in bytes (`GAME_STORAGE_QUOTA_MEGABYTES`). */
export const defaultGameStorageQuota = 64 * 1024 ** 3;

/** An event emitted by a command, before its position in the commit order is assigned. */
export interface EmittedEvent extends NewEvent {
  seq: number;
}

/** The interface of a running command to its transaction. */
export class Tx {
  readonly loader: Loader;
  readonly now: number;
  readonly newId: Context['newId'];
  /** See `Context`. */
  readonly writer: number;
  readonly gameStorageQuota: number;
  /** The command's index in the batch. */
  readonly place: number;
  readonly events: EmittedEvent[] = [];
  /** Erased data must not stay readable: its remains are scrubbed from the disk soon after the commit. */
  needsScrub = false;
  /** Nothing else happens because of its events: see `withReactions`. */
  isWithoutReactions = false;
  /** It cannot be resumed at the request it waits for, only restarted: see `forEach`. */
  mustRestart = false;
  /** Workers to notify after the commit: see `wake`. */
  wakes: Set<string> | null = null;
  readonly #rows: Rows;
  readonly #undo: { entry: Entry; row: AnyRow | undefined; wasDirty: boolean }[] = [];

  constructor(rows: Rows, loader: Loader, { now, newId, writer, gameStorageQuota }: Context, place = 0) {
    this.#rows = rows;
    this.loader = loader;
    this.now = now;
    this.newId = newId;
    this.writer = writer;
    this.gameStorageQuota = gameStorageQuota;
    this.place = place;
  }

  /**
   * Locks and returns the row with this primary key (an array for a composite key) until the commit; creates it when
   * there is none and `make` is given.
   */
  lock<Row>(table: Table<Row>, key: Value | readonly Value[], make: Row): Request<Row>;
  lock<Row>(table: Table<Row>, key: Value | readonly Value[]): Request<Row | undefined>;
  lock<Row>(table: Table<Row>, key: Value | readonly Value[], make?: Row): Request<Row | undefined> {
    const values = typeof key === 'object' && key !== null ? key : [key];
    return new Request(this, 'lock', table as AnyTable, values, { make: make as AnyRow | undefined });
  }

  /** The row with this key of a table or unique index; undefined when there is none or the key contains a null. */
  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): Request<Row | undefined> {
    return new Request(this, 'get', target as AnyTable | AnyIndex, key);
  }

  /**
   * Like `get` for some columns only, when the others are large and not needed. `octets(json)` is the length of a text in
   * bytes of UTF-8, without reading it. `put` still requires the full row.
   */
  peek<Row, Name extends Peekable<Row>>(
    table: Table<Row>,
    columns: readonly Name[],
    ...key: Value[]
  ): Request<Peeked<Row, Name> | undefined> {
    return new Request(this, 'peek', table as AnyTable, key, { columns });
  }

  /** The maximum of the column after an index's leading ones, or 0; may be that of a row deleted in this batch. */
  max<Row>(index: Index<Row>, prefix: readonly Value[]): Request<number> {
    return new Request(this, 'max', index as AnyIndex, prefix);
  }

  /** The number of rows with these values in an index's leading columns, at most `limit`. */
  count<Row>(index: Index<Row>, prefix: readonly Value[], limit: number): Request<number> {
    return new Request(this, 'count', index as AnyIndex, prefix, { list: { limit } });
  }

  /** The first rows with these values in an index's leading columns, in index order, or in reverse with `last`. */
  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; last?: boolean; after?: Row },
  ): Request<readonly Row[]> {
    return new Request(this, 'list', index as AnyIndex, prefix, { list: options as ListOptions });
  }

  /** Several requests in one round trip. Locks are acquired before the rest is read. */
  all<const Parts extends readonly Request<unknown>[]>(
    ...parts: Parts
  ): Request<{ [At in keyof Parts]: Parts[At] extends Request<infer Result> ? Result : never }> {
    return new Request(this, 'all', null, [], { parts });
  }

  /** Has rows that a later request needs loaded together with what is requested next, in one round trip. */
  prefetch(request: Request<unknown>): void {
    this.loader.answer(request);
  }

  /** Inserts a row. The key must be guaranteed to be new, such as an id generated here. */
  insert<Row>(table: Table<Row>, row: Row): void {
    const entry = this.#rows.of(table as AnyTable).entryOf(row as AnyRow);
    if (entry.row !== undefined) throw new RowExistsError(table.name, entry);
    if (!entry.isKnown && !entry.isDirty) entry.isKnown = true;
    this.#change(entry, row as AnyRow);
  }

  /** Upserts a row. */
  put<Row>(table: Table<Row>, row: Row): void {
    this.#change(this.#rows.of(table as AnyTable).entryOf(row as AnyRow), row as AnyRow);
  }

  /** Deletes a row that was read. */
  remove<Row>(table: Table<Row>, row: Row): void {
    this.#change(this.#rows.of(table as AnyTable).entryOf(row as AnyRow), undefined);
  }

  /**
   * Writes an event in this transaction; it is published after the commit. Its stream must be locked
   * (`lockPlayer`, `lockChannel`, `lockGame`). Returns its seq.
   */
  emit<Type extends EventType>(
    stream: string,
    type: Type,
    record: RecordOf<Type>,
    audience: Audience,
  ): number {
    const entry = this.#rows.of(streams).find(stream);
    if (entry?.row === undefined || (entry.owner !== undefined && entry.owner !== this)) {
      throw new Error(`the stream ${stream} is not locked by this command`);
    }
    const row = entry.row as unknown as StreamRow;
    const seq = row.seq + 1;
    this.#change(entry, { ...row, seq } as AnyRow);
    const event = { stream, seq, name: type.name, record: JSON.stringify(record), at: this.now };
    this.#change(this.#rows.of(events).append(), event);
    this.events.push({ stream, name: type.name, record, audience, seq });
    return seq;
  }

  get hasWritten(): boolean {
    return this.#undo.length > 0;
  }

  scrub(): void {
    this.needsScrub = true;
  }

  /**
   * After the commit, notifies this process's worker of that name that there is work to do (`Database.onWake`). The
   * notification is lost when the process ends, so workers also poll.
   */
  wake(worker: string): void {
    this.wakes ??= new Set();
    this.wakes.add(worker);
  }

  /** Called by the engine: makes this command the owner of the row. */
  hold(entry: Entry): void {
    entry.owner = this;
  }

  /** Undoes this command's writes, but not those of others in the batch. */
  undo(): void {
    for (const { entry, row, wasDirty } of this.#undo.toReversed()) {
      entry.of.set(entry, row);
      if (!wasDirty) entry.of.clean(entry);
    }
    this.#undo.length = 0;
    this.events.length = 0;
    this.needsScrub = false;
    this.wakes = null;
  }

  #change(entry: Entry, row: AnyRow | undefined): void {
    if (entry.owner !== this) this.loader.claim(entry, this);
    this.#undo.push({ entry, row: entry.row, wasDirty: entry.isDirty });
    entry.of.set(entry, row);
  }
}

/** The transaction of an exclusive command, which can also run statements; they see its earlier writes. */
export class ExclusiveTx extends Tx {
  /** Runs a statement that changes rows and returns their number. Rows read before are stale afterwards. */
  run<Values extends Record<string, Value>>(
    statement: Statement<Values, unknown>,
    values: Values,
  ): Request<number> {
    return new Request(this, 'run', null, [], { statement: statement as Statement, values });
  }

  /**
   * Runs a SELECT, or a statement with RETURNING that declares what it `changes`, and returns its rows. Rows of those
   * tables that were read before are stale afterwards.
   */
  rows<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Request<readonly Row[]> {
    return new Request(this, 'rows', null, [], { statement: statement as Statement, values });
  }

  /** Writes the changes so far and evicts them, for a command that writes more than fits in memory. */
  flush(): Request<void> {
    return new Request(this, 'flush', null, []);
  }

  /** Rebuilds the ranks of a group of a ranked table, after statements have changed it. */
  recount(table: AnyTable, group: string): Request<void> {
    return new Request(this, 'rank', table, [group]);
  }
}
