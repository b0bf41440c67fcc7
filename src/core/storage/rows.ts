import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  keyMaker,
  keyOf,
  type Value,
} from './table.ts';

/** One row that a batch of commands works on. */
export class Entry {
  readonly of: TableRows;
  key: string;
  /** As it is now; undefined: there is none. */
  row: AnyRow | undefined = undefined;
  /** As the database has it; only where `isKnown`. */
  stored: AnyRow | undefined = undefined;
  isKnown = false;
  /** It is to be written; where it is not known, that is all that is known of it. */
  isDirty = false;
  /** Of a row that is not known and was written: it as it was written last, by whose key it can be deleted. */
  overwritten: AnyRow | undefined = undefined;
  /** The command that writes it in this batch, by its place. */
  owner: object | undefined = undefined;

  constructor(of: TableRows, key: string) {
    this.of = of;
    this.key = key;
  }
}

/** What lies under a prefix of an index, as the database has it. */
export interface ListBase {
  readonly entries: readonly Entry[];
  /** There is nothing behind the last of them. */
  readonly isComplete: boolean;
}

interface WrittenUnder {
  readonly index: Index;
  readonly length: number;
  readonly prefixOf: (row: AnyRow) => string | null;
  readonly entries: Map<string, Set<Entry>>;
}

/** Lists that were read from an index's beginning or end. */
class KeptLists {
  readonly #lists = new Map<Index, Map<string, { limit: number; last: boolean; base: ListBase }>>();

  get(index: Index, prefix: readonly Value[], limit: number, last: boolean): ListBase | undefined {
    const known = this.#lists.get(index)?.get(keyOf(prefix) ?? '');
    return known?.limit === limit && known.last === last ? known.base : undefined;
  }

  set(index: Index, prefix: readonly Value[], limit: number, last: boolean, base: ListBase): void {
    let lists = this.#lists.get(index);
    if (!lists) {
      lists = new Map();
      this.#lists.set(index, lists);
    }
    lists.set(keyOf(prefix) ?? '', { limit, last, base });
  }

  clear(): void {
    if (this.#lists.size > 0) this.#lists.clear();
  }
}

/** The rows of one table that a batch has read or written. */
export class TableRows {
  readonly table: AnyTable;
  readonly keyOf: (row: AnyRow) => string | null;
  readonly #entries = new Map<string, Entry>();
  /** By unique index: what a key leads to; null where it leads to nothing. */
  readonly unique: {
    index: Index;
    keyOf: (row: AnyRow) => string | null;
    found: Map<string, Entry | null>;
  }[] = [];
  /** By index and length of the prefix that was listed in this batch: what was written under each. */
  #written: WrittenUnder[] = [];
  /** Lists of a kept table, until something of it is written. */
  readonly kept = new KeptLists();
  dirty: Entry[] = [];
  /** Entries of new rows, which have no key as yet. */
  readonly #appended: Entry[] = [];

  constructor(table: AnyTable) {
    this.table = table;
    this.keyOf = keyMaker(table.key);
    for (const index of table.indexes) {
      if (index.isUnique) this.unique.push({ index, keyOf: keyMaker(index.columns), found: new Map() });
    }
  }

  find(key: string): Entry | undefined {
    if (this.#appended.length > 0) this.#enter();
    return this.#entries.get(key);
  }

  /** An entry for a row that is not there yet. It gets its key when a row of the table is asked for, if any is. */
  append(): Entry {
    const entry = new Entry(this, '');
    entry.isKnown = true;
    this.#appended.push(entry);
    return entry;
  }

  #enter(): void {
    for (const entry of this.#appended.splice(0)) {
      const key = entry.row === undefined ? null : this.keyOf(entry.row);
      if (key === null) continue; // taken back by the command
      const before = this.#entries.get(key);
      // A command that was run again has made the same row once before, and that was taken back.
      if (before && (before.row !== undefined || before.stored !== undefined)) {
        throw new Error(`${this.table.name} has two rows under the key ${key}`);
      }
      entry.key = key;
      this.#entries.set(key, entry);
    }
  }

  entry(key: string): Entry {
    if (this.#appended.length > 0) this.#enter();
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = new Entry(this, key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  entryOf(row: AnyRow): Entry {
    const key = this.keyOf(row);
    if (key === null) throw new Error(`a row of ${this.table.name} has a key that is null`);
    return this.entry(key);
  }

  /** All entries, except of new rows that were never looked up. */
  get entries(): Iterable<Entry> {
    return this.#entries.values();
  }

  foundBy(index: AnyIndex): Map<string, Entry | null> {
    const unique = this.unique.find((one) => one.index === index);
    if (!unique) throw new Error(`${index.name} is not unique: list it`);
    return unique.found;
  }

  /** What this batch wrote under a prefix. Kept from the first list on, because most batches list nothing. */
  writtenUnder(index: Index, prefix: readonly Value[]): Set<Entry> | undefined {
    let one = this.#written.find((known) => known.index === index && known.length === prefix.length);
    if (!one) {
      const prefixOf = keyMaker(index.columns.slice(0, prefix.length));
      one = { index, length: prefix.length, prefixOf, entries: new Map() };
      this.#written.push(one);
      for (const entry of this.dirty) {
        note(one, entry, entry.stored);
        note(one, entry, entry.row);
      }
    }
    return one.entries.get(keyOf(prefix) ?? '');
  }

  /** As read from the database, where this batch has not written it. */
  read(entry: Entry, row: AnyRow | undefined): void {
    if (entry.isDirty) return;
    entry.isKnown = true;
    entry.stored = row;
    this.#reindex(entry, entry.row, row);
    entry.row = row;
  }

  set(entry: Entry, row: AnyRow | undefined): void {
    if (!entry.isDirty) {
      entry.isDirty = true;
      this.dirty.push(entry);
    }
    this.#reindex(entry, entry.row, row);
    for (const one of this.#written) {
      note(one, entry, entry.row);
      note(one, entry, row);
    }
    this.kept.clear();
    entry.row = row;
    if (!entry.isKnown && row !== undefined) entry.overwritten = row;
  }

  /** Takes back the first change of a row, of which nothing is to be written then. */
  clean(entry: Entry): void {
    entry.isDirty = false;
    entry.overwritten = undefined;
    const at = this.dirty.lastIndexOf(entry); // it is among the last: changes are taken back from the last one on
    if (at >= 0) this.dirty.splice(at, 1);
  }

  /** After a commit: all is forgotten that is not kept, or has become too much. */
  committed(maxKept: number): void {
    this.flushed();
    this.#appended.length = 0;
    if (this.table.isKept && this.#entries.size <= maxKept) return;
    if (this.#entries.size > 0) this.#entries.clear();
    this.kept.clear();
    for (const { found } of this.unique) if (found.size > 0) found.clear();
  }

  /** What was changed is in the database now, within the transaction. */
  flushed(): void {
    if (this.#written.length > 0) this.#written = [];
    if (this.dirty.length === 0) return;
    for (const entry of this.dirty) {
      entry.stored = entry.row;
      entry.isKnown = true;
      entry.isDirty = false;
      entry.overwritten = undefined;
    }
    this.dirty = [];
  }

  #reindex(entry: Entry, before: AnyRow | undefined, after: AnyRow | undefined): void {
    for (const { keyOf: keyIn, found } of this.unique) {
      const old = before === undefined ? null : keyIn(before);
      const now = after === undefined ? null : keyIn(after);
      if (old !== null && old !== now && found.get(old) === entry) found.set(old, null);
      if (now !== null) found.set(now, entry);
    }
  }
}

function note({ prefixOf, entries }: WrittenUnder, entry: Entry, row: AnyRow | undefined): void {
  if (row === undefined) return;
  const prefix = prefixOf(row) ?? '';
  const there = entries.get(prefix);
  if (there) there.add(entry);
  else entries.set(prefix, new Set([entry]));
}

/** What is to be written of a table, in the order it was first touched. */
export interface Changes {
  readonly rows: TableRows;
  readonly puts: readonly Entry[];
  readonly removed: readonly Entry[];
}

/** The rows a batch works on, of all tables. */
export class Rows {
  readonly #tables = new Map<AnyTable, TableRows>();

  of(table: AnyTable): TableRows {
    let rows = this.#tables.get(table);
    if (!rows) {
      rows = new TableRows(table);
      this.#tables.set(table, rows);
    }
    return rows;
  }

  /** Tables of which a row was read or written. */
  get tables(): Iterable<TableRows> {
    return this.#tables.values();
  }

  changes(): Changes[] {
    const changes: Changes[] = [];
    for (const rows of this.#tables.values()) {
      if (rows.dirty.length === 0) continue;
      const puts: Entry[] = [];
      const removed: Entry[] = [];
      for (const entry of rows.dirty) {
        if (entry.row === entry.stored && (entry.isKnown || entry.overwritten === undefined)) continue;
        (entry.row === undefined ? removed : puts).push(entry);
      }
      if (puts.length + removed.length > 0) changes.push({ rows, puts, removed });
    }
    return changes;
  }

  flushed(): void {
    for (const rows of this.#tables.values()) rows.flushed();
  }

  committed(maxKept: number): void {
    for (const rows of this.#tables.values()) rows.committed(maxKept);
  }

  clear(): void {
    this.#tables.clear();
  }

  /** Only these tables were changed by other means. */
  forget(tables: readonly AnyTable[]): void {
    for (const table of tables) this.#tables.delete(table);
  }
}

export interface ListOptions {
  limit: number;
  /** From the end of the index's order. */
  last?: boolean;
  /** Only what lies behind this row, in the order asked for. */
  after?: AnyRow;
}

/** Compares two rows by the columns of an index behind its first ones. */
function orderOf(index: Index, from: number, last: boolean): (a: AnyRow, b: AnyRow) => number {
  return (a, b) => {
    for (let at = from; at < index.columns.length; at++) {
      const column = index.columns[at] ?? '';
      const [one, other] = [a[column] ?? null, b[column] ?? null];
      if (one === other) continue;
      // As SQL sorts: null before everything.
      const isLess = one === null || (other !== null && one < other);
      return (isLess ? -1 : 1) * (index.directions[at] ?? 1) * (last ? -1 : 1);
    }
    return 0;
  };
}

/** What is under a prefix of an index: rows that the index has, and whose first columns are these. */
export function isUnderPrefix(index: Index, prefix: readonly Value[]): (row: AnyRow | undefined) => boolean {
  const prefixOf = keyMaker(index.columns.slice(0, prefix.length));
  const wanted = keyOf(prefix);
  const { whereNull } = index;
  return (row) =>
    row !== undefined && prefixOf(row) === wanted && (whereNull === null || row[whereNull] === null);
}

/**
 * A list as it is now, out of what the database has (`base`) and what the batch has written since. Undefined: more must be
 * read, because some of what was read is gone.
 */
export function listNow(
  index: Index,
  prefix: readonly Value[],
  { limit, last = false, after }: ListOptions,
  base: ListBase,
  rows: TableRows,
): AnyRow[] | undefined {
  const written = rows.writtenUnder(index, prefix);
  if (!written) {
    const now: AnyRow[] = [];
    for (const { row } of base.entries) {
      if (now.length === limit) break;
      if (row !== undefined) now.push(row);
    }
    return now;
  }
  const compare = orderOf(index, prefix.length, last);
  const isUnder = isUnderPrefix(index, prefix);
  const end = base.isComplete ? undefined : base.entries.at(-1)?.stored;
  const now: AnyRow[] = [];
  for (const { row } of new Set([...base.entries, ...written])) {
    if (row === undefined || !isUnder(row)) continue;
    if (after !== undefined && compare(row, after) <= 0) continue;
    if (end === undefined || compare(row, end) <= 0) now.push(row);
  }
  if (now.length < limit && !base.isComplete) return undefined;
  return now.sort(compare).slice(0, limit);
}
