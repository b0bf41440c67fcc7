import { LRUCache } from 'lru-cache';
import type { Read, ReadSteps } from './query.ts';

/** The sort key of a list: newest first, then by id within a millisecond. */
export interface Keyset {
  timestamp: number;
  id: string;
}

/** The key of a row, with the number of rows before it in the list. */
export interface Bookmark extends Keyset {
  skip: number;
}

/** A row of the list's table; `rowid` is its position in insertion order. */
export interface Written {
  rowid: number;
  id: string;
}

/** The reads that a list has to provide. */
export interface BookmarkedList<Row extends Keyset> {
  /** The most recently inserted row; undefined when there is none. */
  lastWritten(): ReadSteps<Written | undefined>;
  exists(row: Written): ReadSteps<boolean>;
  /** The rows of this list inserted after that one. */
  writtenAfter(row: Written): ReadSteps<readonly Keyset[]>;
  /** A page that begins `skip` rows after a bookmark, or after the first row. */
  read(from: Bookmark | undefined, skip: number): ReadSteps<readonly Row[]>;
}

/** The cached bookmarks of a list. Immutable: replaced as a whole, so that concurrent reads do not interfere. */
interface ListBookmarks {
  /** The last inserted row that the bookmarks take into account. */
  readonly last: Written | undefined;
  /** In order of use, the most recent last. */
  readonly bookmarks: readonly Bookmark[];
}

/** Below this offset, skipping rows is as fast as using a bookmark. */
const deepFrom = 500;
const maxBookmarks = 50;
const maxLists = 200;
/** When more rows have been inserted since, counting from the first row is cheaper than updating the bookmarks. */
const maxCatchUp = 1_000;

/**
 * Speeds up offset pagination deep in append-only lists. A database skips rows one by one, but a caller that requests
 * a page has usually requested the previous one. So the key of each page's first row is cached, and the next page is
 * read from there by key. Rows inserted since move a bookmark by as many rows as sort before it. Rows are removed only
 * when a player is erased, which changes `Read.version` and thereby discards all bookmarks.
 */
export class KeysetBookmarks {
  /** By database. */
  readonly #databases = new WeakMap<Read, { version: number; lists: LRUCache<string, ListBookmarks> }>();

  /** The page of the list `name` that begins after `skip` rows. */
  *page<Row extends Keyset>(
    read: Read,
    name: string,
    skip: number,
    list: BookmarkedList<Row>,
  ): ReadSteps<readonly Row[]> {
    if (skip < deepFrom) return yield* list.read(undefined, skip);
    return yield* read.inOneView(() => this.#deepPage(read, name, skip, list));
  }

  *#deepPage<Row extends Keyset>(
    read: Read,
    name: string,
    skip: number,
    list: BookmarkedList<Row>,
  ): ReadSteps<readonly Row[]> {
    const lists = this.#listsOf(read);
    const { last, bookmarks } = yield* upToDate(lists.get(name), list);
    const nearest = bookmarks
      .filter((bookmark) => bookmark.skip <= skip)
      .reduce<Bookmark | undefined>(deeper, undefined);
    const rows = yield* list.read(nearest, skip - (nearest?.skip ?? 0));
    const [first] = rows;
    const kept = nearest
      ? [...bookmarks.filter((bookmark) => bookmark !== nearest), nearest]
      : [...bookmarks];
    if (first && nearest?.skip !== skip) kept.push({ timestamp: first.timestamp, id: first.id, skip });
    lists.set(name, { last, bookmarks: kept.slice(-maxBookmarks) });
    return rows;
  }

  #listsOf(read: Read): LRUCache<string, ListBookmarks> {
    const { version } = read;
    let database = this.#databases.get(read);
    if (database?.version !== version) {
      database = { version, lists: new LRUCache({ max: maxLists }) };
      this.#databases.set(read, database);
    }
    return database.lists;
  }
}

/** The bookmarks, moved by the rows that have been inserted before them. */
function* upToDate(
  { last, bookmarks }: ListBookmarks = { last: undefined, bookmarks: [] },
  list: BookmarkedList<Keyset>,
): ReadSteps<ListBookmarks> {
  const now = yield* list.lastWritten();
  if (!last || !now || now.rowid - last.rowid > maxCatchUp || !(yield* list.exists(last))) {
    return { last: now, bookmarks: [] };
  }
  if (now.rowid === last.rowid) return { last, bookmarks };
  const written = yield* list.writtenAfter(last);
  return {
    last: now,
    bookmarks: bookmarks.map((bookmark) => {
      const before = written.filter((row) => sortsBefore(row, bookmark)).length;
      return before === 0 ? bookmark : { ...bookmark, skip: bookmark.skip + before };
    }),
  };
}

function sortsBefore(one: Keyset, other: Keyset): boolean {
  return one.timestamp === other.timestamp ? one.id > other.id : one.timestamp > other.timestamp;
}

function deeper(one: Bookmark | undefined, other: Bookmark): Bookmark {
  return one && one.skip > other.skip ? one : other;
}
