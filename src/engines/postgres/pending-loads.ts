import { type AnyRow, type AnyTable, type Index, isIndex, type Value } from '../../core/storage/table.ts';

/** A row to lock. */
export interface PendingLock {
  readonly key: readonly Value[];
  readonly make: AnyRow | undefined;
}

/** Rows under a prefix of an index. */
export interface PendingList {
  readonly index: Index;
  readonly prefix: readonly Value[];
  readonly limit: number;
  readonly last: boolean;
  readonly after: AnyRow | undefined;
}

/** Some columns of rows. */
export interface PendingPeeks {
  readonly table: AnyTable;
  readonly columns: readonly string[];
  readonly keys: Map<string, readonly Value[]>;
}

/** Prefixes of an index, all of one length, by the names of their requests. */
export interface PendingMaxes {
  readonly index: Index;
  readonly prefixes: Map<string, readonly Value[]>;
}

/** What commands have requested and is not loaded yet. */
export class PendingLoads {
  readonly locks = new Map<AnyTable, Map<string, PendingLock>>();
  readonly gets = new Map<AnyTable | Index, Map<string, readonly Value[]>>();
  readonly peeks = new Map<string, PendingPeeks>();
  readonly maxes = new Map<string, PendingMaxes>();
  readonly counts = new Map<string, { index: Index; prefix: readonly Value[]; limit: number }>();
  readonly lists = new Map<string, PendingList>();

  get isEmpty(): boolean {
    const { locks, gets, peeks, maxes, counts, lists } = this;
    return [locks, gets, peeks, maxes, counts, lists].every(({ size }) => size === 0);
  }

  lock(table: AnyTable, text: string, wanted: PendingLock): void {
    const of = this.locks.get(table) ?? new Map<string, PendingLock>();
    this.locks.set(table, of);
    if (!of.has(text) || wanted.make !== undefined) of.set(text, wanted);
  }

  get(target: AnyTable | Index, text: string, key: readonly Value[]): void {
    const of = this.gets.get(target) ?? new Map<string, readonly Value[]>();
    this.gets.set(target, of.set(text, key));
  }

  max(name: string, index: Index, prefix: readonly Value[]): void {
    const of = `${index.name} ${prefix.length}`;
    const maxes = this.maxes.get(of) ?? { index, prefixes: new Map<string, readonly Value[]>() };
    this.maxes.set(of, maxes);
    maxes.prefixes.set(name, prefix);
  }

  /** Merges the locks of others. */
  addLocks(others: PendingLoads): void {
    for (const [table, wanted] of others.locks) {
      for (const [text, one] of wanted) this.lock(table, text, one);
    }
  }

  /** Merges earlier reads; rows that are locked by now are not read again. */
  addReads(before: PendingLoads, isLocked: (table: AnyTable, text: string) => boolean): void {
    for (const [target, keys] of before.gets) {
      for (const [text, key] of keys) {
        if (isIndex(target) || !isLocked(target, text)) this.get(target, text, key);
      }
    }
    for (const [name, peeks] of before.peeks) this.peeks.set(name, peeks);
    for (const { index, prefixes } of before.maxes.values()) {
      for (const [name, prefix] of prefixes) this.max(name, index, prefix);
    }
    for (const [name, count] of before.counts) this.counts.set(name, count);
    for (const [name, list] of before.lists) this.lists.set(name, list);
  }
}
