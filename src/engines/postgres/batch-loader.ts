import type { Loader, Request, RequestKind, Tx } from '../../core/storage/command.ts';
import { type Entry, type ListBase, listNow, Rows, type TableRows } from '../../core/storage/rows.ts';
import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  isIndex,
  keyMaker,
  keyOf,
  type Value,
} from '../../core/storage/table.ts';
import { type Connection, settled } from './connection.ts';
import type { KeptList, KeptRows } from './kept-rows.ts';
import type { PhysicalTable, PhysicalTables } from './physical-table.ts';
import { RowReads, searchesFor } from './row-reads.ts';
import { type WantedList, type WantedLock, type WantedPeeks, Wants } from './wants.ts';

/** What batches of a node share. */
export interface BatchLoaderOptions {
  /** Rows of streams and the like that are known to be there. */
  readonly there: Set<string>;
  readonly kept: KeptRows;
  /** Which commands lock the rows of which tables as they read them: `claim` finds that out. */
  readonly locking: Set<string>;
}

/** What only a command with a transaction of its own asks for. */
const statementKinds: ReadonlySet<RequestKind> = new Set(['run', 'rows', 'rank', 'flush']);

/**
 * Holds the rows that the commands of one transaction work on. What a command asks for and is not at hand is noted, and
 * loaded for all commands together: locks first, in one order for every node, then what is read under them.
 */
export class BatchLoader implements Loader {
  rows = new Rows();
  readonly #tables: PhysicalTables;
  readonly #connection: Connection;
  readonly #reads: RowReads;
  /** Rows that were there once: to be locked, they need not be made. */
  readonly #there: Set<string>;
  #wants = new Wants();
  /** All reads of this transaction. */
  readonly #asked = new Wants();
  readonly #locked = new Map<AnyTable, Map<string, AnyRow | undefined>>();
  /** Rows that were made in order to be locked, and nobody has written yet. */
  readonly made = new Map<AnyTable, Map<string, AnyRow>>();
  readonly #peeked = new Map<string, AnyRow | undefined>();
  readonly #maxes = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  readonly #octets = new Map<string, number | undefined>();
  readonly #lists = new Map<string, { limit: number; base: ListBase }>();
  /** The commands that write a row which is not locked: see `claim`. */
  readonly #unlocked = new Set<Tx>();
  /** Statements may change what was read: everything that is read is locked. */
  readonly #isExclusive: boolean;
  readonly #kept: KeptRows;
  readonly #options: BatchLoaderOptions;
  /** The name of the command that is running. */
  command = '';
  /** Rows were taken from what earlier batches have read, which may not hold any more. */
  #usesKept = false;
  /** What was kept did not hold any more when the version was looked at. */
  #isKeptOutdated = false;
  /** How often boards had been ranked anew when this batch first looked; null: it has not. */
  generation: number | null = null;
  /** Read in this round. */
  readonly #fresh: { table: AnyTable; key: string; row: AnyRow }[] = [];
  readonly #freshLists: { index: Index; name: string; list: KeptList }[] = [];
  /** What was answered by other means: see `settle`. */
  readonly #settled = new WeakSet<Request<unknown>>();
  rounds = 0;

  constructor(
    tables: PhysicalTables,
    connection: Connection,
    options: BatchLoaderOptions,
    isExclusive: boolean,
  ) {
    this.#tables = tables;
    this.#connection = connection;
    this.#reads = new RowReads(tables, connection);
    this.#there = options.there;
    this.#kept = options.kept;
    this.#options = options;
    this.#isExclusive = isExclusive;
  }

  /** Whether the command has written a row that must be locked first, which has been noted. */
  hasWrittenUnlocked(tx: Tx): boolean {
    return this.#unlocked.delete(tx);
  }

  get wantsMore(): boolean {
    return !this.#wants.isEmpty;
  }

  /** Gives a request its answer, when it is asked for again. */
  settle(request: Request<unknown>, value: unknown): void {
    request.value = value;
    this.#settled.add(request);
  }

  answer(request: Request<unknown>): boolean {
    const { kind, parts } = request;
    if (statementKinds.has(kind)) return this.#settled.has(request);
    if (kind !== 'all') return this.#answerOne(request);
    let isReady = true;
    // All of them are looked at, so that what is missing is loaded at once.
    for (const part of parts) if (!this.#isReady(part)) isReady = false;
    if (!isReady) return false;
    for (const part of parts) if (!this.#answerOne(part)) return false;
    request.value = parts.map(({ value }) => value);
    return true;
  }

  /**
   * A command that writes a row which it has read without a lock would overwrite what another node has written since. It
   * goes on, but its outcome does not count: the row is locked, and the command is run again.
   */
  claim(entry: Entry, tx: Tx): void {
    tx.hold(entry);
    const { table } = entry.of;
    if (entry.stored === undefined || this.#isLocked(table, entry.key)) return;
    const key = table.key.map((name) => entry.stored?.[name] ?? null);
    this.#wants.lock(table, entry.key, { key, make: undefined });
    this.#unlocked.add(tx);
    this.#options.locking.add(`${this.command} ${table.name}`);
  }

  /** Commands of this name have written rows of the table that they had read: they lock them at once. */
  #isLocking(table: AnyTable): boolean {
    return this.#isExclusive || this.#options.locking.has(`${this.command} ${table.name}`);
  }

  #isLocked(table: AnyTable, text: string): boolean {
    return this.#locked.get(table)?.has(text) ?? false;
  }

  #answerOne(request: Request<unknown>): boolean {
    if (!this.#isReady(request)) return false;
    const { tx, kind, target, key } = request;
    switch (kind) {
      case 'get':
        request.value = target && this.#entryOf(target, key)?.row;
        return true;
      case 'lock': {
        const entry = this.rows.of(target as AnyTable).entry(keyOf(key) ?? '');
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
        request.value = this.#countNow(request);
        return true;
      case 'list': {
        const now = this.#listNow(request);
        if (now === undefined) return false;
        request.value = now;
        return true;
      }
      default:
        throw new Error(`a ${kind} needs a transaction of its own`);
    }
  }

  #isReady(request: Request<unknown>): boolean {
    const { kind, target, key } = request;
    switch (kind) {
      case 'get':
        return target === null || this.#isGetReady(target, key);
      case 'lock': {
        const text = keyOf(key);
        if (!target || isIndex(target) || text === null) throw new Error('a lock needs a table and a key');
        if (this.#isLocked(target, text)) return true;
        this.#wants.lock(target, text, { key, make: request.make });
        return false;
      }
      case 'peek': {
        if (!target || isIndex(target)) throw new Error('a peek needs a table');
        const text = keyOf(key);
        if (text === null || this.#known(target, text) || this.#peeked.has(peekName(request))) return true;
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
        const name = prefixName(target, key);
        if (this.#maxes.has(name)) return true;
        this.#wants.maxes.set(name, { index: target, prefix: key });
        return false;
      }
      case 'octets': {
        if (!target || isIndex(target)) throw new Error('octets need a table');
        const text = keyOf(key);
        if (text === null || this.#known(target, text) || this.#octets.has(peekName(request))) return true;
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
        const name = `${prefixName(target, key)} ${limit}`;
        if (this.#counts.has(name)) return true;
        this.#wants.counts.set(name, { index: target, prefix: key, limit });
        return false;
      }
      case 'list': {
        if (!target || !isIndex(target) || !request.list) throw new Error('a list needs an index');
        const name = listName(request);
        if (this.#lists.has(name) || this.#takeKeptList(target, name)) return true;
        const { limit, last = false, after } = request.list;
        this.#wants.lists.set(name, { index: target, prefix: key, limit, last, after });
        return false;
      }
      case 'all':
        return request.parts.map((part) => this.#isReady(part)).every((ready) => ready);
      default:
        return true;
    }
  }

  #isGetReady(target: AnyTable | AnyIndex, key: readonly Value[]): boolean {
    const text = keyOf(key);
    if (text === null) return true;
    if (!isIndex(target)) {
      if (this.#known(target, text)) return true;
      if (this.#isLocking(target)) this.#wants.lock(target, text, { key, make: undefined });
      else this.#wants.get(target, text, key);
      return false;
    }
    if (this.rows.of(target.table).foundBy(target).has(text)) return true;
    this.#wants.get(target as Index, text, key);
    return false;
  }

  #known(table: AnyTable, text: string): Entry | null {
    const entry = this.rows.of(table).find(text);
    if (entry && (entry.isKnown || entry.isDirty)) return entry;
    const kept = this.#isExclusive ? undefined : this.#kept.get(table, text);
    if (kept === undefined) return null;
    this.#usesKept = true;
    const read = this.rows.of(table).entry(text);
    this.rows.of(table).read(read, kept);
    return read;
  }

  #entryOf(target: AnyTable | AnyIndex, key: readonly Value[]): Entry | null | undefined {
    const text = keyOf(key);
    if (text === null) return null;
    return isIndex(target) ? this.rows.of(target.table).foundBy(target).get(text) : this.#known(target, text);
  }

  #peek(request: Request<unknown>): AnyRow | undefined {
    const text = keyOf(request.key);
    if (text === null) return undefined;
    const entry = this.#known(request.target as AnyTable, text);
    return entry ? entry.row : this.#peeked.get(peekName(request));
  }

  #max({ target, key }: Request<unknown>): number {
    const index = target as Index;
    const column = index.columns[key.length] ?? '';
    let max = this.#maxes.get(prefixName(index, key)) ?? 0;
    for (const { row } of this.rows.of(index.table).writtenUnder(index, key) ?? []) {
      max = Math.max(max, Number(row?.[column] ?? 0));
    }
    return max;
  }

  #octetsOf(request: Request<unknown>): number | undefined {
    const text = keyOf(request.key);
    if (text === null) return undefined;
    const entry = this.#known(request.target as AnyTable, text);
    if (!entry) return this.#octets.get(peekName(request));
    return entry.row && Buffer.byteLength(String(entry.row[request.columns[0] ?? ''] ?? ''));
  }

  /** What this batch has changed of the rows under a prefix. */
  #changedUnder({ target, key }: Request<unknown>): { change: number; removed: number } {
    const index = target as Index;
    const prefixOf = keyMaker(index.columns.slice(0, key.length));
    const wanted = keyOf(key);
    const isUnder = (row: AnyRow | undefined) => row !== undefined && prefixOf(row) === wanted;
    let [change, removed] = [0, 0];
    for (const { row, stored } of this.rows.of(index.table).writtenUnder(index, key) ?? []) {
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
    const counted = this.#counts.get(
      `${prefixName(request.target as Index, request.key)} ${this.#countedUpTo(request)}`,
    );
    return Math.min(request.list?.limit ?? 0, (counted ?? 0) + this.#changedUnder(request).change);
  }

  /** Undefined: more must be read first, which has been noted. */
  #listNow(request: Request<unknown>): readonly AnyRow[] | undefined {
    const { target, key, list } = request;
    if (!list) throw new Error('a list needs options');
    const index = target as Index;
    const name = listName(request);
    const listed = this.#lists.get(name);
    if (!listed) throw new Error(`${index.name} was not read`);
    const now = listNow(index, key, list, listed.base, this.rows.of(index.table));
    if (now) return now;
    const { last = false, after } = list;
    this.#wants.lists.set(name, { index, prefix: key, limit: listed.limit * 4, last, after });
    return undefined;
  }

  /**
   * Loads what was asked for. True: what had been read before may have changed (rows were locked after others had been
   * read, or another node has changed what was kept); it was read again, and every command is to be run again.
   */
  async load(): Promise<boolean> {
    const wants = this.#wants;
    this.#wants = new Wants();
    const isLate = this.rounds > 0 && wants.locks.size > 0 && !this.#isExclusive;
    this.rounds++;
    if (isLate) {
      this.#startAnew();
      wants.addReads(this.#asked, (table, text) => this.#isLocked(table, text));
    }
    this.#asked.addReads(wants, () => false);
    const sent: Promise<void>[] = [];
    const tables = [...wants.locks.keys()].map((table) => this.#tables.of(table));
    for (const table of tables.sort((one, other) => one.place - other.place)) {
      const wanted = wants.locks.get(table.table) ?? new Map<string, WantedLock>();
      sent.push(
        ...this.#lock(
          table,
          [...wanted].sort(([one], [other]) => (one < other ? -1 : 1)),
        ),
      );
    }
    // Behind the locks, so that what was changed under one that was waited for is seen; and before what is read, which
    // may be kept as of this version or a later one, but not of an earlier one.
    if (this.generation === null || wants.locks.size > 0) sent.push(this.#readVersion());
    for (const [target, keys] of wants.gets) sent.push(this.#get(target, keys));
    for (const peeks of wants.peeks.values()) sent.push(this.#readPeeks(peeks));
    for (const [name, { index, prefix }] of wants.maxes) {
      sent.push(this.#reads.max(index, prefix).then((max) => void this.#maxes.set(name, max)));
    }
    for (const [name, { index, prefix, limit }] of wants.counts) {
      sent.push(this.#reads.count(index, prefix, limit).then((count) => void this.#counts.set(name, count)));
    }
    for (const octets of wants.octets.values()) sent.push(this.#readOctets(octets));
    for (const [name, list] of wants.lists) sent.push(this.#readList(name, list));
    await settled(sent);
    const isOutdated = this.#hasOutdated();
    if (!this.#isExclusive) this.#keepFresh();
    return isLate || isOutdated;
  }

  /** All commands have ended on what is at hand: whether that still holds. True: they are to be run again. */
  async loadVersion(): Promise<boolean> {
    await this.#readVersion();
    return this.#hasOutdated();
  }

  async #readVersion(): Promise<void> {
    const text = 'SELECT generation, (SELECT sum(version) FROM write_lanes) AS version FROM ranking';
    const { rows } = await this.#connection.run<{ generation: number; version: number }>(text);
    this.generation ??= rows[0]?.generation ?? 0;
    if (!this.#kept.isAt(rows[0]?.version ?? 0)) this.#isKeptOutdated = true;
  }

  #hasOutdated(): boolean {
    const isOutdated = this.#isKeptOutdated && this.#usesKept;
    this.#isKeptOutdated = false;
    if (!isOutdated) return false;
    this.#usesKept = false;
    this.#startAnew();
    return true;
  }

  #keepFresh(): void {
    for (const { table, key, row } of this.#fresh.splice(0)) this.#kept.keep(table, key, row);
    for (const { index, name, list } of this.#freshLists.splice(0)) this.#kept.keepList(index, name, list);
  }

  #takeKeptList(index: Index, name: string): boolean {
    const kept = this.#isExclusive ? undefined : this.#kept.list(index, name);
    if (kept === undefined) return false;
    this.#usesKept = true;
    const rows = this.rows.of(index.table);
    const entries = kept.rows.map((row) => this.#readRow(rows, row));
    this.#lists.set(name, { limit: kept.limit, base: { entries, isWhole: kept.isWhole } });
    return true;
  }

  /** Forgets what was read without a lock, and whatever commands have written. */
  #startAnew(): void {
    this.forget();
    for (const [table, locked] of this.#locked) {
      const rows = this.rows.of(table);
      for (const [text, row] of locked) this.#readLocked(rows, rows.entry(text), row);
    }
  }

  /** Forgets what was read and written; what is locked stays so. */
  forget(): void {
    this.rows = new Rows();
    this.#peeked.clear();
    this.#maxes.clear();
    this.#counts.clear();
    this.#octets.clear();
    this.#lists.clear();
  }

  /** Statements have changed rows, of these tables or (undefined) of any. */
  forgetChanged(tables: readonly AnyTable[] | undefined): void {
    if (tables) {
      this.rows.forget(tables);
      for (const table of tables) this.#locked.delete(table);
      this.#peeked.clear();
      this.#maxes.clear();
      this.#counts.clear();
      this.#octets.clear();
      this.#lists.clear();
      return;
    }
    this.forget();
    this.#locked.clear();
  }

  #readLocked(rows: TableRows, entry: Entry, row: AnyRow | undefined): void {
    rows.read(entry, row);
    const made = this.made.get(rows.table)?.get(entry.key);
    // Nobody has written it: to commands it is not there until one of them does.
    if (made !== undefined) {
      entry.stored = made;
      entry.row = undefined;
    }
  }

  #lock(table: PhysicalTable, wanted: readonly [string, WantedLock][]): Promise<void>[] {
    const locked = this.#locked.get(table.table) ?? new Map<string, AnyRow | undefined>();
    this.#locked.set(table.table, locked);
    for (const [text] of wanted) locked.set(text, undefined);
    const locks = new Map(wanted);
    const searches = searchesFor(
      table,
      table.key,
      wanted.map(([text, { key }]) => [text, key] as const),
    );
    const toMake = searches.flatMap(({ text }, at) => {
      const make = locks.get(text)?.make;
      return make !== undefined && !this.#there.has(`${table.table.name} ${text}`) ? [{ make, at }] : [];
    });
    const making = toMake.length > 0 ? this.#reads.make(table, toMake) : Promise.resolve(new Set<number>());
    const locking = this.#reads.lock(table, searches);
    const taking = Promise.all([making, locking]).then(([made, found]) => {
      const rows = this.rows.of(table.table);
      for (const [at, { text }] of searches.entries()) {
        const row = found.get(at);
        const isMade = locks.get(text)?.make !== undefined;
        if (row && made.has(at)) {
          const ofTable = this.made.get(table.table) ?? new Map<string, AnyRow>();
          this.made.set(table.table, ofTable.set(text, row));
        } else if (row && isMade) this.#remember(`${table.table.name} ${text}`);
        else if (!row && isMade) {
          this.#there.delete(`${table.table.name} ${text}`);
          throw Object.assign(new Error('a row that was there has gone'), { code: '40001' });
        }
        locked.set(text, row);
        this.#readLocked(rows, rows.entry(text), row);
      }
      for (const [text] of wanted) if (!rows.find(text)?.isKnown) rows.read(rows.entry(text), undefined);
    });
    // What failed first is what is to be told.
    return [making.then(() => {}), taking];
  }

  #remember(row: string): void {
    if (this.#there.size >= 200_000) this.#there.clear();
    this.#there.add(row);
  }

  async #get(target: AnyTable | Index, keys: ReadonlyMap<string, readonly Value[]>): Promise<void> {
    const of = isIndex(target) ? target.table : target;
    const rows = this.rows.of(of);
    for (const row of await this.#reads.byKeys(target, keys, this.#isExclusive)) {
      const entry = this.#readRow(rows, row);
      this.#fresh.push({ table: of, key: entry.key, row });
      if (this.#isExclusive) this.#noteLocked(of, [entry]);
    }
    for (const key of keys.keys()) {
      if (isIndex(target)) {
        const found = rows.foundBy(target);
        if (!found.has(key)) found.set(key, null);
      } else if (!this.#known(of, key)) rows.read(rows.entry(key), undefined);
    }
  }

  #readRow(rows: TableRows, row: AnyRow): Entry {
    const entry = rows.entryOf(row);
    if (!entry.isKnown) rows.read(entry, row);
    return entry;
  }

  async #readPeeks(wanted: WantedPeeks): Promise<void> {
    const found = await this.#reads.peek(wanted);
    const name = `${wanted.table.name} ${wanted.columns.join()}`;
    for (const text of wanted.keys.keys()) this.#peeked.set(`${name} ${text}`, found.get(text));
  }

  async #readOctets(wanted: WantedPeeks): Promise<void> {
    const found = await this.#reads.octets(wanted);
    const name = `${wanted.table.name} ${wanted.columns.join()}`;
    for (const text of wanted.keys.keys()) this.#octets.set(`${name} ${text}`, found.get(text));
  }

  async #readList(name: string, wanted: WantedList): Promise<void> {
    const { index, limit } = wanted;
    const rows = this.rows.of(index.table);
    const found = await this.#reads.list(wanted, this.#isExclusive);
    const entries = found.map((row) => this.#readRow(rows, row));
    if (this.#isExclusive) this.#noteLocked(index.table, entries);
    this.#lists.set(name, { limit, base: { entries, isWhole: found.length < limit } });
    this.#freshLists.push({ index, name, list: { rows: found, limit, isWhole: found.length < limit } });
  }

  #noteLocked(table: AnyTable, entries: readonly Entry[]): void {
    const locked = this.#locked.get(table) ?? new Map<string, AnyRow | undefined>();
    this.#locked.set(table, locked);
    for (const { key, stored } of entries) locked.set(key, stored);
  }
}

function peekName({ target, columns, key }: Request<unknown>): string {
  return `${target?.name} ${columns.join()} ${keyOf(key)}`;
}

function prefixName(index: Index, prefix: readonly Value[]): string {
  return `${index.name} ${prefix.length} ${prefix.join('\n')}`;
}

function listName({ target, key, list }: Request<unknown>): string {
  const after = list?.after === undefined ? '' : JSON.stringify(list.after);
  return `${target?.name} ${list?.last ?? false} ${list?.limit} ${key.join('\n')} ${after}`;
}
