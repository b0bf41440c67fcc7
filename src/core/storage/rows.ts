import {
  type AnyIndex,
  type AnyRow,
  type AnyTable,
  type Index,
  keyMaker,
  keyOf,
  type Value,
} from './table.ts';

/** A row used by a batch of commands. */
export class Entry {
  readonly of: TableRows;
  key: string;
  /** The current row; undefined when there is none. */
  row: AnyRow | undefined = undefined;
  /** The row in the database; valid only when `isKnown`. */
  stored: AnyRow | undefined = undefined;
  isKnown = false;
  /** It has to be written. */
  isDirty = false;
  /** For a row that was written without being read: the row as last written, which provides the key to delete it by. */
  overwritten: AnyRow | undefined = undefined;
  /** The command that owns it in this batch. */
  owner: object | undefined = undefined;

  constructor(of: TableRows, key: string) {
    this.of = of;
    this.key = key;
  }
}

/** The rows under a prefix of an index, as read from the database. */
export interface ListBase {
  readonly entries: readonly Entry[];
  /** There are no further rows. */
  readonly isComplete: boolean;
}

/** Written entries by a prefix of an index. */
interface PrefixIndex {
  readonly index: Index;
  readonly length: number;
  readonly prefixOf: (row: AnyRow) => string | null;
  readonly entries: Map<string, Set<Entry>>;
}

/** Cache of lists that were read from an index's beginning or end. */
class ListCache {
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

/** The rows of a table that a batch has read or written. */
export class TableRows {
  readonly table: AnyTable;
  readonly keyOf: (row: AnyRow) => string | null;
  readonly #entries = new Map<string, Entry>();
  /** By unique index: the entry of each key; null when there is none. */
  readonly unique: {
    index: Index;
    keyOf: (row: AnyRow) => string | null;
    found: Map<string, Entry | null>;
  }[] = [];
  /** Written entries, for each index and prefix length that was listed in this batch. */
  #written: PrefixIndex[] = [];
  /** Cached lists of a table with `isCachedByWriter`, until it is written. */
  readonly cachedLists = new ListCache();
  dirty: Entry[] = [];
  /** Entries of new rows that are not keyed yet. */
  readonly #appended: Entry[] = [];

  constructor(table: AnyTable) {
    this.table = table;
    this.keyOf = keyMaker(table.key);
    for (const index of table.indexes) {
      if (index.isUnique) this.unique.push({ index, keyOf: keyMaker(index.columns), found: new Map() });
    }
  }

  find(key: string): Entry | undefined {
    if (this.#appended.length > 0) this.#keyAppended();
    return this.#entries.get(key);
  }

  /** Adds an entry for a new row. It is keyed lazily, when a row of the table is looked up. */
  append(): Entry {
    const entry = new Entry(this, '');
    entry.isKnown = true;
    this.#appended.push(entry);
    return entry;
  }

  #keyAppended(): void {
    for (const entry of this.#appended.splice(0)) {
      const key = entry.row === undefined ? null : this.keyOf(entry.row);
      if (key === null) continue; // undone by the command
      const before = this.#entries.get(key);
      // A restarted command may have created the same row before; that one was undone.
      if (before && (before.row !== undefined || before.stored !== undefined)) {
        throw new Error(`${this.table.name} has two rows with the key ${key}`);
      }
      entry.key = key;
      this.#entries.set(key, entry);
    }
  }

  entry(key: string): Entry {
    if (this.#appended.length > 0) this.#keyAppended();
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = new Entry(this, key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  entryOf(row: AnyRow): Entry {
    const key = this.keyOf(row);
    if (key === null) throw new Error(`a row of ${this.table.name} has a null key`);
    return this.entry(key);
  }

  /** All entries except new rows that have not been keyed yet. */
  get entries(): Iterable<Entry> {
    return this.#entries.values();
  }

  foundBy(index: AnyIndex): Map<string, Entry | null> {
    const unique = this.unique.find((one) => one.index === index);
    if (!unique) throw new Error(`${index.name} is not unique: use list`);
    return unique.found;
  }

  /** Entries written by this batch under a prefix. Indexed on the first call, because most batches list nothing. */
  writtenUnder(index: Index, prefix: readonly Value[]): Set<Entry> | undefined {
    let one = this.#written.find((known) => known.index === index && known.length === prefix.length);
    if (!one) {
      const prefixOf = keyMaker(index.columns.slice(0, prefix.length));
      one = { index, length: prefix.length, prefixOf, entries: new Map() };
      this.#written.push(one);
      for (const entry of this.dirty) {
        addUnderPrefix(one, entry, entry.stored);
        addUnderPrefix(one, entry, entry.row);
      }
    }
    return one.entries.get(keyOf(prefix) ?? '');
  }

  /** Records a row read from the database, unless this batch has written it. */
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
      addUnderPrefix(one, entry, entry.row);
      addUnderPrefix(one, entry, row);
    }
    this.cachedLists.clear();
    entry.row = row;
    if (!entry.isKnown && row !== undefined) entry.overwritten = row;
  }

  /** Marks a row as clean after its first change was undone. */
  clean(entry: Entry): void {
    entry.isDirty = false;
    entry.overwritten = undefined;
    const at = this.dirty.lastIndexOf(entry); // near the end: changes are undone in reverse order
    if (at >= 0) this.dirty.splice(at, 1);
  }

  /** After a commit: evicts all rows, unless the table is cached and within the limit. */
  committed(maxCached: number): void {
    this.flushed();
    this.#appended.length = 0;
    if (this.table.isCachedByWriter && this.#entries.size <= maxCached) return;
    if (this.#entries.size > 0) this.#entries.clear();
    this.cachedLists.clear();
    for (const { found } of this.unique) if (found.size > 0) found.clear();
  }

  /** Forgets rows that the batch has read and not written, except those with a key that `isKept`. */
  forgetRead(isKept: (key: string) => boolean): void {
    for (const [key, { isDirty }] of this.#entries) if (!isDirty && !isKept(key)) this.#entries.delete(key);
    for (const { found } of this.unique) found.clear();
  }

  /** All changes have been written to the database within the transaction. */
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

function addUnderPrefix({ prefixOf, entries }: PrefixIndex, entry: Entry, row: AnyRow | undefined): void {
  if (row === undefined) return;
  const prefix = prefixOf(row) ?? '';
  const existing = entries.get(prefix);
  if (existing) existing.add(entry);
  else entries.set(prefix, new Set([entry]));
}

/** Changes of a table to be written, in the order in which rows were first changed. */
export interface Changes {
  readonly rows: TableRows;
  readonly puts: readonly Entry[];
  readonly removed: readonly Entry[];
}

/** The rows used by a batch, of all tables. */
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

  /** Tables of which rows were read or written. */
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

  committed(maxCached: number): void {
    for (const rows of this.#tables.values()) rows.committed(maxCached);
  }

  clear(): void {
    this.#tables.clear();
  }

  /** Evicts the rows of tables that were changed by statements. */
  forget(tables: readonly AnyTable[]): void {
    for (const table of tables) this.#tables.delete(table);
  }
}

export interface ListOptions {
  limit: number;
  /** In reverse index order. */
  last?: boolean;
  /** Only rows after this one, in the requested order. */
  after?: AnyRow;
}

/** Compares two rows by the columns of an index from position `from` on. */
function orderOf(index: Index, from: number, last: boolean): (a: AnyRow, b: AnyRow) => number {
  return (a, b) => {
    for (let at = from; at < index.columns.length; at++) {
      const column = index.columns[at] ?? '';
      const [one, other] = [a[column] ?? null, b[column] ?? null];
      if (one === other) continue;
      // Nulls sort first, as in SQLite.
      const isLess = one === null || (other !== null && one < other);
      return (isLess ? -1 : 1) * (index.directions[at] ?? 1) * (last ? -1 : 1);
    }
    return 0;
  };
}

/** Predicate for rows under a prefix of an index: contained in the index and with these leading columns. */
export function isUnderPrefix(index: Index, prefix: readonly Value[]): (row: AnyRow | undefined) => boolean {
  const prefixOf = keyMaker(index.columns.slice(0, prefix.length));
  const wanted = keyOf(prefix);
  const { whereNull } = index;
  return (row) =>
    row !== undefined && prefixOf(row) === wanted && (whereNull === null || row[whereNull] === null);
}

/**
 * The current list, merged from rows read from the database (`base`) and rows written by the batch since. Undefined
 * when more rows must be read, because some of those in `base` were removed.
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
