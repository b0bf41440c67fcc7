import type { EventType, RecordOf } from '../events/event.ts';
import { events } from '../events/events.ts';
import type { Audience, NewEvent } from '../events/stream.ts';
import type { StreamRow } from '../events/streams.ts';
import { streams } from '../events/streams.ts';
import type { Entry, ListOptions, Rows } from './rows.ts';
import type { Statement } from './statement.ts';
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
 * A write, declared once for every engine: a generator function that asks for rows (`yield* tx.get(…)`), decides, and says
 * what is to be written. It refuses with a `GantryError`, and then has changed nothing.
 *
 * It may be begun again before it has ended (by an engine that loads rows for many commands at once), so it does nothing
 * but through `tx`, and nothing that it makes leaves it before the commit. What it takes and answers is plain data.
 */
export interface Command<Args extends unknown[], Result> {
  (tx: Tx, ...args: Args): Steps<Result>;
  readonly commandName: string;
  /** It has a transaction of its own, and may run statements in it. */
  readonly isExclusive: boolean;
}

/** A command, whatever it takes and answers. */
export interface AnyCommand {
  (tx: Tx, ...args: never): Steps<unknown>;
  readonly commandName: string;
  readonly isExclusive: boolean;
}

export type Steps<Result> = Generator<Request<unknown>, Result, void>;

/** Declares a command. `catalogue/commands.ts` lists the files that hold any. */
export function command<Args extends unknown[], Result>(
  commandName: string,
  steps: (tx: Tx, ...args: Args) => Steps<Result>,
): Command<Args, Result> {
  return Object.assign(steps, { commandName, isExclusive: false });
}

/**
 * Declares a command that changes rows by statements (`tx.run`), many at once: what clears away, moves or ranks again. It
 * has a transaction of its own, so it costs every other write its time; it is to be bounded, or rare.
 */
export function exclusiveCommand<Args extends unknown[], Result>(
  commandName: string,
  steps: (tx: ExclusiveTx, ...args: Args) => Steps<Result>,
): Command<Args, Result> {
  const run = (tx: Tx, ...args: Args) => {
    if (!(tx instanceof ExclusiveTx)) throw new Error(`${commandName} needs a transaction of its own`);
    return steps(tx, ...args);
  };
  return Object.assign(run, { commandName, isExclusive: true });
}

export type RequestKind =
  | 'lock'
  | 'get'
  | 'peek'
  | 'octets'
  | 'count'
  | 'max'
  | 'list'
  | 'all'
  | 'run'
  | 'rows'
  | 'rank'
  | 'flush';

// One of each for all requests, of which every write makes several.
const noOptions = {};
const noColumns: readonly string[] = [];
const noParts: readonly Request<unknown>[] = [];
const noValues: Readonly<Record<string, Value>> = {};

/** What a command waits for. It is its own iterator, so that `yield*` gives the answer with its type. */
export class Request<Result> {
  value!: Result;
  readonly tx: Tx;
  readonly kind: RequestKind;
  readonly target: AnyTable | AnyIndex | null;
  readonly key: readonly Value[];
  /** Of a lock: the row to make where there is none. */
  readonly make: AnyRow | undefined;
  readonly list: ListOptions | undefined;
  /** Of a peek, and the one of `octets`. */
  readonly columns: readonly string[];
  readonly parts: readonly Request<unknown>[];
  readonly statement: Statement | undefined;
  readonly values: Readonly<Record<string, Value>>;
  /** The engine's name for what is requested; requests for the same have the same. */
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

  /** The key as text (`keyOf`); null: no row has it. */
  get keyText(): string | null {
    if (this.#keyText === undefined) this.#keyText = keyOf(this.key);
    return this.#keyText;
  }

  [Symbol.iterator](): Iterator<Request<unknown>, Result, void> {
    return this;
  }

  /** Done at once where the rows are at hand; else the engine is given the request, and asks again later. */
  next(): IteratorResult<Request<unknown>, Result> {
    return this.tx.loader.answer(this) ? { done: true, value: this.value } : { done: false, value: this };
  }
}

/** What an engine does for a command. */
export interface Loader {
  /** Sets the request's value and returns true where it is at hand. */
  answer(request: Request<unknown>): boolean;
  /** The row is about to be written by `tx`. */
  claim(entry: Entry, tx: Tx): void;
}

/** What engines give to the commands of a batch. */
export interface Context {
  /** Unix milliseconds; the same for the whole command. */
  readonly now: number;
  newId(): string;
}

/** An event a command has emitted, before it has a place in the order of commits. */
export interface EmittedEvent extends NewEvent {
  seq: number;
}

/** What a command has at hand while it runs in a transaction. */
export class Tx {
  readonly loader: Loader;
  readonly now: number;
  readonly newId: () => string;
  /** Its place in the batch. */
  readonly place: number;
  readonly events: EmittedEvent[] = [];
  /** Something was erased that must not stay readable: soon after the commit, its traces go from the disk. */
  leavesTraces = false;
  /** It cannot be resumed at the request it waits for, only restarted: see `forEach`. */
  mustRestart = false;
  /** Workers that have something to do once this is committed: see `wake`. */
  wakes: Set<string> | null = null;
  readonly #rows: Rows;
  readonly #undo: { entry: Entry; row: AnyRow | undefined; wasDirty: boolean }[] = [];

  constructor(rows: Rows, loader: Loader, { now, newId }: Context, place = 0) {
    this.#rows = rows;
    this.loader = loader;
    this.now = now;
    this.newId = newId;
    this.place = place;
  }

  /**
   * The row under the table's key (a list where the key has several columns), nobody else's until the commit; made where
   * there is none and `make` is given.
   */
  lock<Row>(table: Table<Row>, key: Value | readonly Value[], make: Row): Request<Row>;
  lock<Row>(table: Table<Row>, key: Value | readonly Value[]): Request<Row | undefined>;
  lock<Row>(table: Table<Row>, key: Value | readonly Value[], make?: Row): Request<Row | undefined> {
    const values = typeof key === 'object' && key !== null ? key : [key];
    return new Request(this, 'lock', table as AnyTable, values, { make: make as AnyRow | undefined });
  }

  /** The row under the key of a table or a unique index; undefined where there is none, or the key has a null. */
  get<Row>(target: Table<Row> | Index<Row>, ...key: Value[]): Request<Row | undefined> {
    return new Request(this, 'get', target as AnyTable | AnyIndex, key);
  }

  /** As `get`, some columns only: for a row whose other columns are large and not needed. To change it, put it whole. */
  peek<Row, Name extends keyof Row & string>(
    table: Table<Row>,
    columns: readonly Name[],
    ...key: Value[]
  ): Request<Pick<Row, Name> | undefined> {
    return new Request(this, 'peek', table as AnyTable, key, { columns });
  }

  /** How many bytes of UTF-8 a text column holds, without reading it; undefined where there is no such row. */
  octets<Row>(table: Table<Row>, column: keyof Row & string, ...key: Value[]): Request<number | undefined> {
    return new Request(this, 'octets', table as AnyTable, key, { columns: [column] });
  }

  /** The greatest number in the column behind an index's leading ones, or 0; it may be that of a row that is gone. */
  max<Row>(index: Index<Row>, prefix: readonly Value[]): Request<number> {
    return new Request(this, 'max', index as AnyIndex, prefix);
  }

  /** How many rows there are under an index's leading columns, at most `limit`. */
  count<Row>(index: Index<Row>, prefix: readonly Value[], limit: number): Request<number> {
    return new Request(this, 'count', index as AnyIndex, prefix, { list: { limit } });
  }

  /** The first rows under an index's leading columns, in its order or from its end. */
  list<Row>(
    index: Index<Row>,
    prefix: readonly Value[],
    options: { limit: number; last?: boolean; after?: Row },
  ): Request<readonly Row[]> {
    return new Request(this, 'list', index as AnyIndex, prefix, { list: options as ListOptions });
  }

  /** Several at once: one round trip where there is one. Locks are taken before the rest is read. */
  all<const Parts extends readonly Request<unknown>[]>(
    ...parts: Parts
  ): Request<{ [At in keyof Parts]: Parts[At] extends Request<infer Result> ? Result : never }> {
    return new Request(this, 'all', null, [], { parts });
  }

  /** Writes a row that is not there yet, which the key must promise: an id made here, say. */
  insert<Row>(table: Table<Row>, row: Row): void {
    const entry = this.#rows.of(table as AnyTable).entryOf(row as AnyRow);
    if (entry.row !== undefined)
      throw new Error(`${table.name} has a row under the key ${entry.key} already`);
    if (!entry.isKnown && !entry.isDirty) entry.isKnown = true;
    this.#change(entry, row as AnyRow);
  }

  /** Writes a row, over the one under its key where there is one. */
  put<Row>(table: Table<Row>, row: Row): void {
    this.#change(this.#rows.of(table as AnyTable).entryOf(row as AnyRow), row as AnyRow);
  }

  /** Deletes a row that was read. */
  remove<Row>(table: Table<Row>, row: Row): void {
    this.#change(this.#rows.of(table as AnyTable).entryOf(row as AnyRow), undefined);
  }

  /**
   * Writes an event with the change; it is published after the commit. Its stream must have been locked
   * (`lockPlayer`, `lockChannel`, `lockGame`). Returns its seq.
   */
  emit<Type extends EventType>(
    stream: string,
    type: Type,
    record: RecordOf<Type>,
    audience: Audience,
  ): number {
    const entry = this.#rows.of(streams as AnyTable).find(stream);
    if (entry?.row === undefined || (entry.owner !== undefined && entry.owner !== this)) {
      throw new Error(`the stream ${stream} is not locked by this command`);
    }
    const row = entry.row as unknown as StreamRow;
    const seq = row.seq + 1;
    this.#change(entry, { ...row, seq } as AnyRow);
    const made = { stream, seq, name: type.name, record: JSON.stringify(record), at: this.now };
    this.#change(this.#rows.of(events as AnyTable).append(), made);
    this.events.push({ stream, name: type.name, record, audience, seq });
    return seq;
  }

  get hasWritten(): boolean {
    return this.#undo.length > 0;
  }

  scrub(): void {
    this.leavesTraces = true;
  }

  /**
   * After the commit, tells this process's worker of that name that there is something to do (`Database.onWake`). Lost
   * with the process: workers look by themselves as well.
   */
  wake(worker: string): void {
    this.wakes ??= new Set();
    this.wakes.add(worker);
  }

  /** Told by the engine: the row is this command's until it has ended. */
  hold(entry: Entry): void {
    entry.owner = this;
  }

  /** Takes back what it has written, and nobody else's. */
  undo(): void {
    for (const { entry, row, wasDirty } of this.#undo.toReversed()) {
      entry.of.set(entry, row);
      if (!wasDirty) entry.of.clean(entry);
    }
    this.#undo.length = 0;
    this.events.length = 0;
    this.leavesTraces = false;
    this.wakes = null;
  }

  #change(entry: Entry, row: AnyRow | undefined): void {
    if (entry.owner !== this) this.loader.claim(entry, this);
    this.#undo.push({ entry, row: entry.row, wasDirty: entry.isDirty });
    entry.of.set(entry, row);
  }
}

/** What an exclusive command has at hand: statements too, which see what it has written. */
export class ExclusiveTx extends Tx {
  /** Runs a statement that changes rows; how many it changed. Rows read before are to be read again. */
  run<Values extends Record<string, Value>>(
    statement: Statement<Values, unknown>,
    values: Values,
  ): Request<number> {
    return new Request(this, 'run', null, [], { statement: statement as Statement, values });
  }

  /** The rows of a statement that reads. */
  rows<Values extends Record<string, Value>, Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Request<readonly Row[]> {
    return new Request(this, 'rows', null, [], { statement: statement as Statement, values });
  }

  /** Writes what was changed so far, and holds it no longer: for a command that writes more than memory should hold. */
  flush(): Request<void> {
    return new Request(this, 'flush', null, []);
  }

  /** Counts the places of a group of a ranked table again, after statements have written it. */
  recount(table: AnyTable, group: string): Request<void> {
    return new Request(this, 'rank', table, [group]);
  }
}

/**
 * Carries out the same steps for each of several, with the outcome that one after the other would have. What they ask for is
 * loaded for all of them together, where an engine has a round trip for it: one for each step of the steps, not of the items.
 */
export function* forEach<Item, Result>(
  tx: Tx,
  items: readonly Item[],
  stepsOf: (item: Item, at: number) => Steps<Result>,
): Steps<Result[]> {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return [yield* stepsOf(only, 0)];
  const results: Result[] = [];
  if (tx instanceof ExclusiveTx) {
    // It goes on where it was, so the steps of one may not begin before those of the one before have ended.
    for (const [at, item] of items.entries()) results.push(yield* stepsOf(item, at));
    return results;
  }
  let missed: Request<unknown> | undefined;
  for (const [at, item] of items.entries()) {
    try {
      const { done, value } = stepsOf(item, at).next();
      if (done) results.push(value);
      else missed ??= value;
    } catch (error) {
      // Behind one that has not ended, what it met is not so yet; it is only asked what it needs.
      if (!missed) throw error;
    }
  }
  // The engine loads what was missed and begins the whole command again, which undoes what was done here.
  if (missed) {
    tx.mustRestart = true;
    yield missed;
    throw new Error('a command went on with steps that are to be begun again');
  }
  return results;
}

/** What follows from an event within the transaction that wrote it: see `catalogue/reactions.ts`. */
export type Reaction = (tx: Tx, event: EmittedEvent) => Steps<void>;

/** Runs a command, and then what follows from each event it has emitted, those of the reactions included. */
export function* withReactions<Result>(tx: Tx, steps: Steps<Result>, react: Reaction | null): Steps<Result> {
  const result = yield* steps;
  if (!react) return result;
  for (let from = 0; from < tx.events.length; ) {
    const emitted = tx.events.slice(from);
    from = tx.events.length;
    yield* forEach(tx, emitted, (event) => react(tx, event));
  }
  return result;
}
