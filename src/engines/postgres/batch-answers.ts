import type { Loader, Request, RequestKind, Tx } from '../../core/storage/command.ts';
import { type Entry, isUnderPrefix, listNow } from '../../core/storage/rows.ts';
import { type AnyIndex, type AnyRow, type AnyTable, type Index, isIndex } from '../../core/storage/table.ts';
import type { RowsAtHand } from './rows-at-hand.ts';
import { Wants } from './wants.ts';

/** What batches of a node share. */
export interface BatchAnswersOptions {
  /** Which commands lock the rows of which tables as they read them: `claim` finds that out. */
  readonly locking: Set<string>;
}

/** What only a command with a transaction of its own asks for. */
const statementKinds: ReadonlySet<RequestKind> = new Set(['run', 'rows', 'rank', 'flush']);

/**
 * Answers what the commands of one transaction ask for from what is at hand. What is not is noted, for `BatchLoader` to load
 * for all commands together.
 */
export class BatchAnswers implements Loader {
  readonly #hand: RowsAtHand;
  readonly #locking: Set<string>;
  /** Statements may change what was read: everything that is read is locked. */
  readonly #isExclusive: boolean;
  #wants = new Wants();
  /** The commands that write a row which is not locked: see `claim`. */
  readonly #unlocked = new Set<Tx>();
  /** What was answered by other means: see `settle`. */
  readonly #settled = new WeakSet<Request<unknown>>();
  /** The name of the command that is running. */
  #command = '';
  /** The running command has been given a value. */
  hasAnswered = false;

  constructor(hand: RowsAtHand, { locking }: BatchAnswersOptions, isExclusive: boolean) {
    this.#hand = hand;
    this.#locking = locking;
    this.#isExclusive = isExclusive;
  }

  /** A command of this name starts or resumes. */
  begin(command: string): void {
    this.#command = command;
    this.hasAnswered = false;
  }

  /** What was asked for and is not at hand, since this was last called. */
  takeWants(): Wants {
    const wants = this.#wants;
    this.#wants = new Wants();
    return wants;
  }

  /** Whether the command has written a row that must be locked first, which has been noted. */
  hasWrittenUnlocked(tx: Tx): boolean {
    return this.#unlocked.delete(tx);
  }

  /** Gives a request its answer, when it is asked for again. */
  settle(request: Request<unknown>, value: unknown): void {
    request.value = value;
    this.#settled.add(request);
  }

  answer(request: Request<unknown>): boolean {
    if (statementKinds.has(request.kind)) return this.#settled.has(request);
    if (!this.#isReady(request) || !this.#take(request)) return false;
    this.hasAnswered = true;
    return true;
  }

  /**
   * A command that writes a row which it has read without a lock would overwrite what another node has written since. It
   * goes on, but its outcome does not count: the row is locked, and the command is run again.
   */
  claim(entry: Entry, tx: Tx): void {
    tx.hold(entry);
    const { table } = entry.of;
    if (entry.stored === undefined || this.#hand.isLocked(table, entry.key)) return;
    const key = table.key.map((name) => entry.stored?.[name] ?? null);
    this.#wants.lock(table, entry.key, { key, make: undefined });
    this.#unlocked.add(tx);
    this.#locking.add(`${this.#command} ${table.name}`);
  }

  /** Commands of this name have written rows of the table that they had read: they lock them at once. */
  #isLocking(table: AnyTable): boolean {
    return this.#isExclusive || this.#locking.has(`${this.#command} ${table.name}`);
  }

  /** Sets the value of a request that is ready. False: more must be read first, which has been noted. */
  #take(request: Request<unknown>): boolean {
    const { tx, kind, target } = request;
    switch (kind) {
      case 'get':
        request.value = this.#entryOf(request)?.row;
        return true;
      case 'lock': {
        const entry = this.#hand.rows.of(target as AnyTable).entry(request.keyText ?? '');
        if (entry.row === undefined && request.make !== undefined) {
          tx.put(target as AnyTable as never, request.make as never);
        }
        if (entry.owner !== tx) this.claim(entry, tx);
        request.value = entry.row;
        return true;
      }
      case 'peek':
        request.value = this.#peek(request);
        return true;
      case 'max':
        request.value = this.#max(request);
        return true;
      case 'octets':
        request.value = this.#octetsOf(request);
        return true;
      case 'count':
        // What another part of the request has made may have it count further.
        if (!this.#isReady(request)) return false;
        request.value = this.#countNow(request);
        return true;
      case 'list': {
        const now = this.#listNow(request);
        if (now === undefined) return false;
        request.value = now;
        return true;
      }
      case 'all':
        for (const part of request.parts) if (!this.#take(part)) return false;
        request.value = request.parts.map(({ value }) => value);
        return true;
      default:
        throw new Error(`a ${kind} needs a transaction of its own`);
    }
  }

  #isReady(request: Request<unknown>): boolean {
    const { kind, target, key } = request;
    switch (kind) {
      case 'get':
        return target === null || this.#isGetReady(target, request);
      case 'lock': {
        const text = request.keyText;
        if (!target || isIndex(target) || text === null) throw new Error('a lock needs a table and a key');
        if (this.#hand.isLocked(target, text)) return true;
        this.#wants.lock(target, text, { key, make: request.make });
        return false;
      }
      case 'peek': {
        if (!target || isIndex(target)) throw new Error('a peek needs a table');
        const text = request.keyText;
        if (text === null || this.#hand.find(target, text) || this.#hand.peeked.has(nameOf(request)))
          return true;
        const name = `${target.name} ${request.columns.join()}`;
        const peeks = this.#wants.peeks.get(name) ?? {
          table: target,
          columns: request.columns,
          keys: new Map(),
        };
        peeks.keys.set(text, key);
        this.#wants.peeks.set(name, peeks);
        return false;
      }
      case 'max': {
        if (!target || !isIndex(target)) throw new Error('a maximum needs an index');
        const name = nameOf(request);
        if (this.#hand.maxes.has(name)) return true;
        this.#wants.maxes.set(name, { index: target, prefix: key });
        return false;
      }
      case 'octets': {
        if (!target || isIndex(target)) throw new Error('octets need a table');
        const text = request.keyText;
        if (text === null || this.#hand.find(target, text) || this.#hand.octets.has(nameOf(request)))
          return true;
        const name = `${target.name} ${request.columns.join()}`;
        const octets = this.#wants.octets.get(name) ?? {
          table: target,
          columns: request.columns,
          keys: new Map(),
        };
        octets.keys.set(text, key);
        this.#wants.octets.set(name, octets);
        return false;
      }
      case 'count': {
        if (!target || !isIndex(target)) throw new Error('a count needs an index');
        const limit = this.#countedUpTo(request);
        const name = `${nameOf(request)} ${limit}`;
        if (this.#hand.counts.has(name)) return true;
        this.#wants.counts.set(name, { index: target, prefix: key, limit });
        return false;
      }
      case 'list': {
        if (!target || !isIndex(target) || !request.list) throw new Error('a list needs an index');
        const name = nameOf(request);
        if (this.#hand.hasList(target, name)) return true;
        const { limit, last = false, after } = request.list;
        this.#wants.lists.set(name, { index: target, prefix: key, limit, last, after });
        return false;
      }
      case 'all': {
        let isReady = true;
        // All of them are looked at, so that what is missing is loaded at once.
        for (const part of request.parts) if (!this.#isReady(part)) isReady = false;
        return isReady;
      }
      default:
        return true;
    }
  }

  #isGetReady(target: AnyTable | AnyIndex, { key, keyText: text }: Request<unknown>): boolean {
    if (text === null) return true;
    if (!isIndex(target)) {
      if (this.#hand.find(target, text)) return true;
      if (this.#isLocking(target)) this.#wants.lock(target, text, { key, make: undefined });
      else this.#wants.get(target, text, key);
      return false;
    }
    if (this.#hand.rows.of(target.table).foundBy(target).has(text)) return true;
    this.#wants.get(target as Index, text, key);
    return false;
  }

  #entryOf({ target, keyText: text }: Request<unknown>): Entry | null | undefined {
    if (target === null || text === null) return null;
    return isIndex(target)
      ? this.#hand.rows.of(target.table).foundBy(target).get(text)
      : this.#hand.find(target, text);
  }

  #peek(request: Request<unknown>): AnyRow | undefined {
    const text = request.keyText;
    if (text === null) return undefined;
    const entry = this.#hand.find(request.target as AnyTable, text);
    return entry ? entry.row : this.#hand.peeked.get(nameOf(request));
  }

  #max(request: Request<unknown>): number {
    const { target, key } = request;
    const index = target as Index;
    const column = index.columns[key.length] ?? '';
    let max = this.#hand.maxes.get(nameOf(request)) ?? 0;
    for (const { row } of this.#hand.rows.of(index.table).writtenUnder(index, key) ?? []) {
      max = Math.max(max, Number(row?.[column] ?? 0));
    }
    return max;
  }

  #octetsOf(request: Request<unknown>): number | undefined {
    const text = request.keyText;
    if (text === null) return undefined;
    const entry = this.#hand.find(request.target as AnyTable, text);
    if (!entry) return this.#hand.octets.get(nameOf(request));
    return entry.row && Buffer.byteLength(String(entry.row[request.columns[0] ?? ''] ?? ''));
  }

  /** What this batch has changed of the rows under a prefix. */
  #changedUnder({ target, key }: Request<unknown>): { change: number; removed: number } {
    const index = target as Index;
    const isUnder = isUnderPrefix(index, key);
    let [change, removed] = [0, 0];
    for (const { row, stored } of this.#hand.rows.of(index.table).writtenUnder(index, key) ?? []) {
      change += Number(isUnder(row)) - Number(isUnder(stored));
      removed += Number(isUnder(stored));
    }
    return { change, removed };
  }

  /** Of the rows that are counted, any may be removed by now. */
  #countedUpTo(request: Request<unknown>): number {
    return (request.list?.limit ?? 0) + this.#changedUnder(request).removed;
  }

  #countNow(request: Request<unknown>): number {
    const counted = this.#hand.counts.get(`${nameOf(request)} ${this.#countedUpTo(request)}`);
    return Math.min(request.list?.limit ?? 0, (counted ?? 0) + this.#changedUnder(request).change);
  }

  /** Undefined: more must be read first, which has been noted. */
  #listNow(request: Request<unknown>): readonly AnyRow[] | undefined {
    const { target, key, list } = request;
    if (!list) throw new Error('a list needs options');
    const index = target as Index;
    const name = nameOf(request);
    const listed = this.#hand.lists.get(name);
    if (!listed) throw new Error(`${index.name} was not read`);
    const now = listNow(index, key, list, listed.base, this.#hand.rows.of(index.table));
    if (now) return now;
    const { last = false, after } = list;
    this.#wants.lists.set(name, { index, prefix: key, limit: listed.limit * 4, last, after });
    return undefined;
  }
}

/** The name under which what a request reads is kept, for all requests of the same. */
function nameOf(request: Request<unknown>): string {
  request.name ??= makeName(request);
  return request.name;
}

function makeName({ kind, target, columns, key, keyText, list }: Request<unknown>): string {
  const under = keyText ?? key.join('\n');
  switch (kind) {
    case 'peek':
    case 'octets':
      return `${target?.name} ${columns.join()} ${under}`;
    case 'list': {
      const after = list?.after === undefined ? '' : JSON.stringify(list.after);
      return `${target?.name} ${list?.last ?? false} ${list?.limit} ${under} ${after}`;
    }
    default:
      return `${target?.name} ${key.length} ${under}`;
  }
}
