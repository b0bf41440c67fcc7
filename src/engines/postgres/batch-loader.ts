import { type AnyRow, type AnyTable, type Index, isIndex, type Value } from '../../core/storage/table.ts';
import { type Connection, settled } from './connection.ts';
import type { ExistingRows } from './existing-rows.ts';
import type { KeptList, KeptRows } from './kept-rows.ts';
import type { PhysicalTable, PhysicalTables } from './physical-table.ts';
import { RowReads, searchesFor } from './row-reads.ts';
import type { RowsAtHand } from './rows-at-hand.ts';
import type { WantedList, WantedLock, WantedPeeks, Wants } from './wants.ts';

/**
 * How long locks are waited for that come behind others: two nodes that each wait for what the other has locked first would
 * be told so by PostgreSQL after a second only (`deadlock_timeout`).
 */
const lateLockMs = 50;

/** What batches of a node share. */
export interface BatchLoaderOptions {
  readonly tables: PhysicalTables;
  /** Rows of streams and the like that are known to be there. */
  readonly existing: ExistingRows;
  readonly kept: KeptRows;
}

/**
 * Loads what the commands of one transaction ask for and is not at hand, for all of them together: locks first, in one order
 * for every node, then what is read under them.
 */
export class BatchLoader {
  readonly #tables: PhysicalTables;
  readonly #connection: Connection;
  readonly #reads: RowReads;
  readonly #hand: RowsAtHand;
  /** Rows that were there once: to be locked, they need not be made. */
  readonly #existing: ExistingRows;
  readonly #kept: KeptRows;
  /** Statements may change what was read: everything that is read is locked. */
  readonly #isExclusive: boolean;
  /** All that was asked for in this transaction, in vain too. */
  readonly #asked: Wants[] = [];
  /** What was kept did not hold any more when the version was looked at. */
  #isKeptOutdated = false;
  /** How often boards had been re-ranked when this batch first looked; null: it has not. */
  generation: number | null = null;
  /** Read in this round. */
  readonly #fresh: { table: AnyTable; key: string; row: AnyRow }[] = [];
  readonly #freshLists: { index: Index; name: string; list: KeptList }[] = [];
  rounds = 0;

  constructor(
    hand: RowsAtHand,
    connection: Connection,
    { tables, existing, kept }: BatchLoaderOptions,
    isExclusive: boolean,
  ) {
    this.#hand = hand;
    this.#tables = tables;
    this.#connection = connection;
    this.#reads = new RowReads(tables, connection);
    this.#existing = existing;
    this.#kept = kept;
    this.#isExclusive = isExclusive;
  }

  /**
   * Loads what was asked for. True: what had been read before may have changed (rows were locked after others had been
   * read, or another node has changed what was kept); it was read again, and every command is to be run again.
   */
  async load(wants: Wants): Promise<boolean> {
    const isLate = this.rounds > 0 && wants.locks.size > 0 && !this.#isExclusive;
    this.rounds++;
    if (isLate) {
      this.#hand.startAnew();
      for (const asked of this.#asked) {
        wants.addReads(asked, (table, text) => this.#hand.isLocked(table, text));
      }
    }
    this.#asked.push(wants);
    const sent: Promise<unknown>[] = [];
    if (isLate) sent.push(this.#connection.script(`SET LOCAL lock_timeout = '${lateLockMs}ms'`));
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
    if (isLate) sent.push(this.#connection.script('SET LOCAL lock_timeout = 0'));
    // Behind the locks, so that what was changed under one that was waited for is seen; and before what is read, which
    // may be kept as of this version or a later one, but not of an earlier one.
    if (this.generation === null || wants.locks.size > 0) sent.push(this.#readVersion());
    for (const [target, keys] of wants.gets) sent.push(this.#get(target, keys));
    for (const peeks of wants.peeks.values()) sent.push(this.#readPeeks(peeks));
    for (const [name, { index, prefix }] of wants.maxes) {
      sent.push(this.#reads.max(index, prefix).then((max) => void this.#hand.maxes.set(name, max)));
    }
    for (const [name, { index, prefix, limit }] of wants.counts) {
      sent.push(
        this.#reads.count(index, prefix, limit).then((count) => void this.#hand.counts.set(name, count)),
      );
    }
    for (const octets of wants.octets.values()) sent.push(this.#readOctets(octets));
    for (const [name, list] of wants.lists) sent.push(this.#readList(name, list));
    await settled(sent);
    const isOutdated = this.#hasOutdated();
    if (!this.#isExclusive) this.#keepFresh();
    return isLate || isOutdated;
  }

  /** Adds the locks of this transaction, and those it was asked for in vain. */
  addLocksTo(wants: Wants): void {
    for (const asked of this.#asked) wants.addLocks(asked);
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
    const isOutdated = this.#isKeptOutdated && this.#hand.usesKept;
    this.#isKeptOutdated = false;
    if (!isOutdated) return false;
    this.#hand.usesKept = false;
    this.#hand.startAnew();
    return true;
  }

  #keepFresh(): void {
    for (const { table, key, row } of this.#fresh.splice(0)) this.#kept.keep(table, key, row);
    for (const { index, name, list } of this.#freshLists.splice(0)) this.#kept.keepList(index, name, list);
  }

  #lock(table: PhysicalTable, wanted: readonly [string, WantedLock][]): Promise<void>[] {
    for (const [text] of wanted) this.#hand.noteLocked(table.table, text, undefined);
    const locks = new Map(wanted);
    const searches = searchesFor(
      table,
      table.key,
      wanted.map(([text, { key }]) => [text, key] as const),
    );
    const toMake: { make: AnyRow; at: number }[] = [];
    for (let at = 0; at < searches.length; at++) {
      const { text = '' } = searches[at] ?? {};
      const make = locks.get(text)?.make;
      if (make !== undefined && !this.#existing.has(table.table, text)) toMake.push({ make, at });
    }
    const making = toMake.length > 0 ? this.#reads.make(table, toMake) : Promise.resolve(new Set<number>());
    const locking = this.#reads.lock(table, searches);
    const taking = Promise.all([making, locking]).then(([made, found]) => {
      const rows = this.#hand.rows.of(table.table);
      for (let at = 0; at < searches.length; at++) {
        const { text = '' } = searches[at] ?? {};
        const row = found.get(at);
        const isMade = locks.get(text)?.make !== undefined;
        if (row && made.has(at)) {
          const ofTable = this.#hand.made.get(table.table) ?? new Map<string, AnyRow>();
          this.#hand.made.set(table.table, ofTable.set(text, row));
        } else if (row && isMade) this.#existing.add(table.table, text);
        else if (!row && isMade) {
          this.#existing.delete(table.table, text);
          throw Object.assign(new Error('a row that was there has gone'), { code: '40001' });
        }
        this.#hand.takeLocked(table.table, text, row);
      }
      for (const [text] of wanted) if (!rows.find(text)?.isKnown) rows.read(rows.entry(text), undefined);
    });
    // What failed first is what is to be told.
    return [making.then(() => {}), taking];
  }

  async #get(target: AnyTable | Index, keys: ReadonlyMap<string, readonly Value[]>): Promise<void> {
    const of = isIndex(target) ? target.table : target;
    const rows = this.#hand.rows.of(of);
    for (const row of await this.#reads.byKeys(target, keys, this.#isExclusive)) {
      const { key, stored } = this.#hand.take(of, row);
      this.#fresh.push({ table: of, key, row });
      if (this.#isExclusive) this.#hand.noteLocked(of, key, stored);
    }
    for (const key of keys.keys()) {
      if (isIndex(target)) {
        const found = rows.foundBy(target);
        if (!found.has(key)) found.set(key, null);
      } else if (!this.#hand.find(of, key)) rows.read(rows.entry(key), undefined);
    }
  }

  async #readPeeks(wanted: WantedPeeks): Promise<void> {
    const found = await this.#reads.peek(wanted);
    const name = `${wanted.table.name} ${wanted.columns.join()}`;
    for (const text of wanted.keys.keys()) this.#hand.peeked.set(`${name} ${text}`, found.get(text));
  }

  async #readOctets(wanted: WantedPeeks): Promise<void> {
    const found = await this.#reads.octets(wanted);
    const name = `${wanted.table.name} ${wanted.columns.join()}`;
    for (const text of wanted.keys.keys()) this.#hand.octets.set(`${name} ${text}`, found.get(text));
  }

  async #readList(name: string, wanted: WantedList): Promise<void> {
    const { index, limit } = wanted;
    const found = await this.#reads.list(wanted, this.#isExclusive);
    const entries = found.map((row) => this.#hand.take(index.table, row));
    if (this.#isExclusive) {
      for (const { key, stored } of entries) this.#hand.noteLocked(index.table, key, stored);
    }
    this.#hand.lists.set(name, { limit, base: { entries, isComplete: found.length < limit } });
    this.#freshLists.push({ index, name, list: { rows: found, limit, isComplete: found.length < limit } });
  }
}
