import type { Tx } from './command.ts';
import type { Statement } from './query.ts';
import type { Entry, ListOptions } from './rows.ts';
import { type AnyIndex, type AnyRow, type AnyTable, keyOf, type Value } from './table.ts';

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
