import { type AnyRow, type AnyTable, type Index, isIndex, type Value } from '../../core/storage/table.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { type Connection, divisionByZero, settled } from './connection.ts';
import type { ExistingRows } from './existing-rows.ts';
import type { LoadedRows } from './loaded-rows.ts';
import type { PendingList, PendingLoads, PendingLock, PendingMaxes, PendingPeeks } from './pending-loads.ts';
import type { PhysicalTable, PhysicalTables } from './physical-table.ts';
import type { CachedList, ReadCache } from './read-cache.ts';
import { RowReads, searchesFor } from './row-reads.ts';

/**
 * The lock timeout of later rounds, whose locks break the common lock order: PostgreSQL would detect a deadlock of two
 * nodes only after a second (`deadlock_timeout`).
 */
const lateLockTimeoutMs = 50;

/** What batches of a node share. */
export interface BatchLoaderOptions {
  readonly tables: PhysicalTables;
  /** Rows of streams and the like that are known to exist. */
  readonly existing: ExistingRows;
  readonly readCache: ReadCache;
}

/**
 * Loads what the commands of one transaction have requested and is missing, for all of them together: locks first, in
 * the same order on every node, then reads.
 */
export class BatchLoader {
  readonly #tables: PhysicalTables;
  readonly #connection: Connection;
  readonly #reads: RowReads;
  readonly #loaded: LoadedRows;
  /** Rows that need not be inserted before they are locked. */
  readonly #existing: ExistingRows;
  readonly #readCache: ReadCache;
  /** Statements may change rows that were read, so every row that is read is locked. */
  readonly #isExclusive: boolean;
  /** All requests of this transaction, including those that failed. */
  readonly #requested: PendingLoads[] = [];
  /** The read cache was stale when the version was read. */
  #isReadCacheStale = false;
  /** The ranking generation when this batch first read it; null: not read yet. */
  generation: number | null = null;
  /** Of the cached rows, when this batch last read it. */
  #version = 0;
  /** Rows read in this round, to be cached. */
  readonly #newRows: { table: AnyTable; key: string; row: AnyRow }[] = [];
  readonly #newLists: { index: Index; name: string; list: CachedList }[] = [];
  rounds = 0;

  constructor(
    loaded: LoadedRows,
    connection: Connection,
    { tables, existing, readCache }: BatchLoaderOptions,
    isExclusive: boolean,
  ) {
    this.#loaded = loaded;
    this.#tables = tables;
    this.#connection = connection;
    this.#reads = new RowReads(tables, connection);
    this.#existing = existing;
    this.#readCache = readCache;
    this.#isExclusive = isExclusive;
  }

  /**
   * Loads what was requested. True: earlier reads may be stale (rows were locked after others had been read, or another
   * node has changed cached rows) and were repeated or discarded, so every command must run again.
   */
  async load(pending: PendingLoads): Promise<boolean> {
    const isLate = this.rounds > 0 && pending.locks.size > 0 && !this.#isExclusive;
    this.rounds++;
    if (isLate) {
      this.#loaded.resetToLocked();
      for (const requested of this.#requested) {
        pending.addReads(requested, (table, text) => this.#loaded.isLocked(table, text));
      }
    }
    this.#requested.push(pending);
    const sent: Promise<unknown>[] = [];
    if (isLate) sent.push(this.#connection.run(`SET LOCAL lock_timeout = '${lateLockTimeoutMs}ms'`));
    const tables = [...pending.locks.keys()].map((table) => this.#tables.of(table));
    for (const table of tables.sort((one, other) => one.place - other.place)) {
      const wanted = pending.locks.get(table.table) ?? new Map<string, PendingLock>();
      sent.push(
        ...this.#lock(
          table,
          [...wanted].sort(([one], [other]) => (one < other ? -1 : 1)),
        ),
      );
    }
    if (isLate) sent.push(this.#connection.run('SET LOCAL lock_timeout = 0'));
    // After the locks, to see what was changed under a lock that was waited for; and before the reads, which may be
    // cached under the version of their snapshot or an earlier one, never under a later one.
    if (this.generation === null || pending.locks.size > 0) sent.push(this.#readVersion());
    for (const [target, keys] of pending.gets) sent.push(this.#get(target, keys));
    for (const peeks of pending.peeks.values()) sent.push(this.#readPeeks(peeks));
    for (const maxes of pending.maxes.values()) sent.push(this.#readMaxes(maxes));
    for (const [name, { index, prefix, limit }] of pending.counts) {
      sent.push(
        this.#reads.count(index, prefix, limit).then((count) => void this.#loaded.counts.set(name, count)),
      );
    }
    for (const [name, list] of pending.lists) sent.push(this.#readList(name, list));
    await settled(sent);
    const isStale = this.#discardStale();
    if (!this.#isExclusive) this.#cacheNew();
    return isLate || isStale;
  }

  /** Adds the locks that this transaction has requested, including those it could not get. */
  addLocksTo(pending: PendingLoads): void {
    for (const requested of this.#requested) pending.addLocks(requested);
  }

  /** Call this when all commands have ended without a load. True: they have used stale rows and must run again. */
  async loadVersion(): Promise<boolean> {
    await this.#readVersion();
    return this.#discardStale();
  }

  /**
   * Fails the transaction, which is then tried again, if another node has changed cached rows since the version was
   * read.
   */
  async confirmVersion(): Promise<void> {
    const text = 'SELECT 1 / (CASE sum(version) WHEN $1 THEN 1 ELSE 0 END) AS unchanged FROM write_lanes';
    await this.#connection.run(text, [this.#version]).catch((error) => {
      if (codeOf(error) !== divisionByZero) throw error;
      throw Object.assign(new Error('another node has changed cached rows'), { code: '40001' });
    });
  }

  async #readVersion(): Promise<void> {
    const text = 'SELECT generation, (SELECT sum(version) FROM write_lanes) AS version FROM ranking';
    const { rows } = await this.#connection.run<{ generation: number; version: number }>(text);
    this.generation ??= rows[0]?.generation ?? 0;
    this.#version = rows[0]?.version ?? 0;
    if (!this.#readCache.revalidate(this.#version)) this.#isReadCacheStale = true;
  }

  #discardStale(): boolean {
    const isStale = this.#isReadCacheStale && this.#loaded.usesReadCache;
    this.#isReadCacheStale = false;
    if (!isStale) return false;
    this.#loaded.usesReadCache = false;
    this.#loaded.resetToLocked();
    return true;
  }

  #cacheNew(): void {
    for (const { table, key, row } of this.#newRows.splice(0)) this.#readCache.set(table, key, row);
    for (const { index, name, list } of this.#newLists.splice(0)) this.#readCache.setList(index, name, list);
  }

  #lock(table: PhysicalTable, wanted: readonly [string, PendingLock][]): Promise<void>[] {
    for (const [text] of wanted) this.#loaded.recordLocked(table.table, text, undefined);
    const locks = new Map(wanted);
    const searches = searchesFor(
      table,
      table.key,
      wanted.map(([text, { key }]) => [text, key] as const),
    );
    const toInsert: { make: AnyRow; at: number }[] = [];
    for (let at = 0; at < searches.length; at++) {
      const { text = '' } = searches[at] ?? {};
      const make = locks.get(text)?.make;
      if (make !== undefined && !this.#existing.has(table.table, text)) toInsert.push({ make, at });
    }
    const inserting =
      toInsert.length > 0 ? this.#reads.insertMissing(table, toInsert) : Promise.resolve(new Set<number>());
    const locking = this.#reads.lock(table, searches);
    const adding = Promise.all([inserting, locking]).then(([inserted, found]) => {
      const rows = this.#loaded.rows.of(table.table);
      for (let at = 0; at < searches.length; at++) {
        const { text = '' } = searches[at] ?? {};
        const row = found.get(at);
        const mayInsert = locks.get(text)?.make !== undefined;
        if (row && inserted.has(at)) {
          const ofTable = this.#loaded.inserted.get(table.table) ?? new Map<string, AnyRow>();
          this.#loaded.inserted.set(table.table, ofTable.set(text, row));
        } else if (row && mayInsert) this.#existing.add(table.table, text);
        else if (!row && mayInsert) {
          this.#existing.delete(table.table, text);
          throw Object.assign(new Error('a row that existed is gone'), { code: '40001' });
        }
        this.#loaded.addLocked(table.table, text, row);
      }
      for (const [text] of wanted) if (!rows.find(text)?.isKnown) rows.read(rows.entry(text), undefined);
    });
    // In the order sent: the first failure is the one to report.
    return [inserting.then(() => {}), adding];
  }

  async #get(target: AnyTable | Index, keys: ReadonlyMap<string, readonly Value[]>): Promise<void> {
    const of = isIndex(target) ? target.table : target;
    const rows = this.#loaded.rows.of(of);
    for (const row of await this.#reads.byKeys(target, keys, this.#isExclusive)) {
      const { key, stored } = this.#loaded.add(of, row);
      this.#newRows.push({ table: of, key, row });
      if (this.#isExclusive) this.#loaded.recordLocked(of, key, stored);
    }
    for (const key of keys.keys()) {
      if (isIndex(target)) {
        const found = rows.foundBy(target);
        if (!found.has(key)) found.set(key, null);
      } else if (!this.#loaded.find(of, key)) rows.read(rows.entry(key), undefined);
    }
  }

  async #readMaxes({ index, prefixes }: PendingMaxes): Promise<void> {
    const maxes = await this.#reads.maxes(index, [...prefixes.values()]);
    for (const [at, name] of [...prefixes.keys()].entries()) this.#loaded.maxes.set(name, maxes[at] ?? 0);
  }

  async #readPeeks(wanted: PendingPeeks): Promise<void> {
    const found = await this.#reads.peek(wanted);
    const name = `${wanted.table.name} ${wanted.columns.join()}`;
    for (const text of wanted.keys.keys()) this.#loaded.peeked.set(`${name} ${text}`, found.get(text));
  }

  async #readList(name: string, wanted: PendingList): Promise<void> {
    const { index, limit } = wanted;
    const found = await this.#reads.list(wanted, this.#isExclusive);
    const entries = found.map((row) => this.#loaded.add(index.table, row));
    if (this.#isExclusive) {
      for (const { key, stored } of entries) this.#loaded.recordLocked(index.table, key, stored);
    }
    this.#loaded.lists.set(name, { limit, base: { entries, isComplete: found.length < limit } });
    this.#newLists.push({ index, name, list: { rows: found, limit, isComplete: found.length < limit } });
  }
}
