import { LRUCache } from 'lru-cache';
import type { Read, ReadSteps } from './query.ts';

/** A row's key in a list: newest first, and by id within a millisecond. */
export interface Keyset {
  timestamp: number;
  id: string;
}

/** A row of a list, with how many rows stand before it. */
export interface Bookmark extends Keyset {
  skip: number;
}

/** A row of the table behind the list, in the order they were written. */
export interface Written {
  rowid: number;
  id: string;
}

/** How a list is read. */
export interface BookmarkedList<Row extends Keyset> {
  /** The row written last; undefined where there is none. */
  lastWritten(): ReadSteps<Written | undefined>;
  exists(row: Written): ReadSteps<boolean>;
  /** The rows of this list written after that one. */
  writtenAfter(row: Written): ReadSteps<readonly Keyset[]>;
  /** A page, from so many rows behind a bookmark on, or behind the first row. */
  read(from: Bookmark | undefined, skip: number): ReadSteps<readonly Row[]>;
}

/** What is remembered of a list; replaced as a whole, so that pages that are read at once do not disturb each other. */
interface Remembered {
  /** The bookmarks are right as of this row. */
  readonly last: Written | undefined;
  /** The one that served last is the last. */
  readonly bookmarks: readonly Bookmark[];
}

/** A page that begins before this row is found as fast by counting. */
const deepFrom = 500;
const maxBookmarks = 50;
const maxLists = 200;
/** When more has been written meanwhile, counting from the first row costs less than keeping up. */
const maxCatchUp = 1_000;

/**
 * Finds pages deep in lists that only grow. Which page is wanted is said by how many rows to skip, and a database skips
 * them one by one; but whoever asks for a page has mostly asked for the one before. So where a page began is
 * remembered, and the next is found from there by its key. What is written meanwhile moves it down by as many rows as
 * stand before it. Rows go only when a player is erased, which changes `Read.version`, and all is forgotten.
 */
export class KeysetBookmarks {
  /** By the database that is read. */
  readonly #databases = new WeakMap<Read, { version: number; lists: LRUCache<string, Remembered> }>();

  /** The page of the list called `name` behind so many rows. */
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

  #listsOf(read: Read): LRUCache<string, Remembered> {
    const { version } = read;
    let database = this.#databases.get(read);
    if (database?.version !== version) {
      database = { version, lists: new LRUCache({ max: maxLists }) };
      this.#databases.set(read, database);
    }
    return database.lists;
  }
}

/** The bookmarks, moved down by what has been written before them. */
function* upToDate(
  { last, bookmarks }: Remembered = { last: undefined, bookmarks: [] },
  list: BookmarkedList<Keyset>,
): ReadSteps<Remembered> {
  const now = yield* list.lastWritten();
  if (!last || !now || now.rowid - last.rowid > maxCatchUp || !(yield* list.exists(last))) {
    return { last: now, bookmarks: [] };
  }
  if (now.rowid === last.rowid) return { last, bookmarks };
  const written = yield* list.writtenAfter(last);
  return {
    last: now,
    bookmarks: bookmarks.map((bookmark) => {
      const before = written.filter((row) => standsBefore(row, bookmark)).length;
      return before === 0 ? bookmark : { ...bookmark, skip: bookmark.skip + before };
    }),
  };
}

function standsBefore(one: Keyset, other: Keyset): boolean {
  return one.timestamp === other.timestamp ? one.id > other.id : one.timestamp > other.timestamp;
}

function deeper(one: Bookmark | undefined, other: Bookmark): Bookmark {
  return one && one.skip > other.skip ? one : other;
}
