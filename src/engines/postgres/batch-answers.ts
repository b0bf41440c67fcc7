import type { Loader, Request, RequestKind, Tx } from '../../core/storage/command.ts';
import { peekAt } from '../../core/storage/peek.ts';
import { type Entry, isUnderPrefix, listNow } from '../../core/storage/rows.ts';
import { type AnyIndex, type AnyRow, type AnyTable, type Index, isIndex } from '../../core/storage/table.ts';
import type { LoadedRows } from './loaded-rows.ts';
import { PendingLoads } from './pending-loads.ts';

/** What batches of a node share. */
export interface BatchAnswersOptions {
  /** Pairs of command and table whose rows are locked as they are read; filled by `claim`. */
  readonly lockOnRead: Set<string>;
}

/** Requests that only exclusive commands make. */
const statementKinds: ReadonlySet<RequestKind> = new Set(['run', 'rows', 'rank', 'flush']);

/**
 * Answers the requests of the commands of one transaction from the rows in memory, and records what is missing, for
 * `BatchLoader` to load for all commands together.
 */
export class BatchAnswers implements Loader {
  readonly #loaded: LoadedRows;
  readonly #lockOnRead: Set<string>;
  /** Statements may change rows that were read, so every row that is read is locked. */
  readonly #isExclusive: boolean;
  #pending = new PendingLoads();
  /** Commands that have written a row without a lock on it: see `claim`. */
  readonly #unlocked = new Set<Tx>();
  /** Requests whose values were set by `settle`. */
  readonly #settled = new WeakSet<Request<unknown>>();
  /** The name of the command that is running. */
  #command = '';
  /** The running command has received a value. */
  hasAnswered = false;

  constructor(loaded: LoadedRows, { lockOnRead }: BatchAnswersOptions, isExclusive: boolean) {
    this.#loaded = loaded;
    this.#lockOnRead = lockOnRead;
    this.#isExclusive = isExclusive;
  }

  /** A command of this name starts or resumes. */
  begin(command: string): void {
    this.#command = command;
    this.hasAnswered = false;
  }

  /** Returns what has been requested and is missing since the last call. */
  takePending(): PendingLoads {
    const pending = this.#pending;
    this.#pending = new PendingLoads();
    return pending;
  }

  /** Whether the command has written a row without a lock on it; `claim` has requested that lock. */
  hasWrittenUnlocked(tx: Tx): boolean {
    return this.#unlocked.delete(tx);
  }

  /** Sets the value of a request that was carried out elsewhere. */
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
   * A command that writes a row it has read without a lock could overwrite another node's change. It continues, but its
   * outcome is discarded: the row is locked, and the command runs again.
   */
  claim(entry: Entry, tx: Tx): void {
    tx.hold(entry);
    const { table } = entry.of;
    if (entry.stored === undefined || this.#loaded.isLocked(table, entry.key)) return;
    const key = table.key.map((name) => entry.stored?.[name] ?? null);
    this.#pending.lock(table, entry.key, { key, make: undefined });
    this.#unlocked.add(tx);
    this.#lockOnRead.add(`${this.#command} ${table.name}`);
  }

  /**
   * Whether commands of this name lock the table's rows as they read them, because they have written such rows before.
   */
  #locksOnRead(table: AnyTable): boolean {
    return this.#isExclusive || this.#lockOnRead.has(`${this.#command} ${table.name}`);
  }

  /** Sets the value of a request that is ready. False: more must be read first, and was recorded. */
  #take(request: Request<unknown>): boolean {
    const { tx, kind, target } = request;
    switch (kind) {
      case 'get':
        request.value = this.#entryOf(request)?.row;
        return true;
      case 'lock': {
        const entry = this.#loaded.rows.of(target as AnyTable).entry(request.keyText ?? '');
        if (entry.row === undefined && request.make !== undefined) {
          tx.put(target as never, request.make as never);
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
      case 'count':
        // An earlier part of the same request may have changed how far to count.
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
        throw new Error(`a ${kind} request needs an exclusive command`);
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
        if (this.#loaded.isLocked(target, text)) return true;
        this.#pending.lock(target, text, { key, make: request.make });
        return false;
      }
      case 'peek': {
        if (!target || isIndex(target)) throw new Error('a peek needs a table');
        const text = request.keyText;
        if (text === null || this.#loaded.find(target, text) || this.#loaded.peeked.has(nameOf(request)))
          return true;
        const name = `${target.name} ${request.columns.join()}`;
        const peeks = this.#pending.peeks.get(name) ?? {
          table: target,
          columns: request.columns,
          keys: new Map(),
        };
        peeks.keys.set(text, key);
        this.#pending.peeks.set(name, peeks);
        return false;
      }
      case 'max': {
        if (!target || !isIndex(target)) throw new Error('a maximum needs an index');
        const name = nameOf(request);
        if (this.#loaded.maxes.has(name)) return true;
        this.#pending.max(name, target, key);
        return false;
      }
      case 'count': {
        if (!target || !isIndex(target)) throw new Error('a count needs an index');
        const limit = this.#countedUpTo(request);
        const name = `${nameOf(request)} ${limit}`;
        if (this.#loaded.counts.has(name)) return true;
        this.#pending.counts.set(name, { index: target, prefix: key, limit });
        return false;
      }
      case 'list': {
        if (!target || !isIndex(target) || !request.list) throw new Error('a list needs an index');
        const name = nameOf(request);
        if (this.#loaded.hasList(target, name)) return true;
        const { limit, last = false, after } = request.list;
        this.#pending.lists.set(name, { index: target, prefix: key, limit, last, after });
        return false;
      }
      case 'all': {
        let isReady = true;
        // Checks every part, so that all that is missing is loaded in one round.
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
      if (this.#loaded.find(target, text)) return true;
      if (this.#locksOnRead(target)) this.#pending.lock(target, text, { key, make: undefined });
      else this.#pending.get(target, text, key);
      return false;
    }
    if (this.#loaded.rows.of(target.table).foundBy(target).has(text)) return true;
    this.#pending.get(target as Index, text, key);
    return false;
  }

  #entryOf({ target, keyText: text }: Request<unknown>): Entry | null | undefined {
    if (target === null || text === null) return null;
    return isIndex(target)
      ? this.#loaded.rows.of(target.table).foundBy(target).get(text)
      : this.#loaded.find(target, text);
  }

  #peek(request: Request<unknown>): AnyRow | undefined {
    const text = request.keyText;
    if (text === null) return undefined;
    const entry = this.#loaded.find(request.target as AnyTable, text);
    return entry ? peekAt(entry.row, request.columns) : this.#loaded.peeked.get(nameOf(request));
  }

  #max(request: Request<unknown>): number {
    const { target, key } = request;
    const index = target as Index;
    const column = index.columns[key.length] ?? '';
    let max = this.#loaded.maxes.get(nameOf(request)) ?? 0;
    for (const { row } of this.#loaded.rows.of(index.table).writtenUnder(index, key) ?? []) {
      max = Math.max(max, Number(row?.[column] ?? 0));
    }
    return max;
  }

  /** By how much this batch has changed the number of rows under a prefix, and how many stored rows it has removed. */
  #changedUnder({ target, key }: Request<unknown>): { change: number; removed: number } {
    const index = target as Index;
    const isUnder = isUnderPrefix(index, key);
    let [change, removed] = [0, 0];
    for (const { row, stored } of this.#loaded.rows.of(index.table).writtenUnder(index, key) ?? []) {
      change += Number(isUnder(row)) - Number(isUnder(stored));
      removed += Number(isUnder(stored));
    }
    return { change, removed };
  }

  /** How far to count in the database: rows counted there may have been removed in this batch. */
  #countedUpTo(request: Request<unknown>): number {
    return (request.list?.limit ?? 0) + this.#changedUnder(request).removed;
  }

  #countNow(request: Request<unknown>): number {
    const counted = this.#loaded.counts.get(`${nameOf(request)} ${this.#countedUpTo(request)}`);
    return Math.min(request.list?.limit ?? 0, (counted ?? 0) + this.#changedUnder(request).change);
  }

  /** Undefined: more must be read first, and was recorded. */
  #listNow(request: Request<unknown>): readonly AnyRow[] | undefined {
    const { target, key, list } = request;
    if (!list) throw new Error('a list needs options');
    const index = target as Index;
    const name = nameOf(request);
    const listed = this.#loaded.lists.get(name);
    if (!listed) throw new Error(`${index.name} was not read`);
    const now = listNow(index, key, list, listed.base, this.#loaded.rows.of(index.table));
    if (now) return now;
    const { last = false, after } = list;
    this.#pending.lists.set(name, { index, prefix: key, limit: listed.limit * 4, last, after });
    return undefined;
  }
}

/** The key of a request's result; equal for requests of the same. */
function nameOf(request: Request<unknown>): string {
  request.name ??= makeName(request);
  return request.name;
}

function makeName({ kind, target, columns, key, keyText, list }: Request<unknown>): string {
  const under = keyText ?? key.join('\n');
  switch (kind) {
    case 'peek':
      return `${target?.name} ${columns.join()} ${under}`;
    case 'list': {
      const after = list?.after === undefined ? '' : JSON.stringify(list.after);
      return `${target?.name} ${list?.last ?? false} ${list?.limit} ${under} ${after}`;
    }
    default:
      return `${target?.name} ${key.length} ${under}`;
  }
}
