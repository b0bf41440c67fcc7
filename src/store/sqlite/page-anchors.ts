import { type DataVersion, VersionCache } from './version-cache.ts';

/** Where a row stands in a list: newest first, and by id within a millisecond. */
export interface Place {
  timestamp: number;
  id: string;
}

/** A row of a list, with how many rows stand before it. */
export interface Anchor extends Place {
  skip: number;
}

/** A row of the table behind the list, in the order they were written. */
export interface Written {
  rowid: number;
  id: string;
}

/** How a list is read. */
export interface AnchoredList<Row extends Place> {
  /** Has all that is read by it read from one view of the database. */
  inOneView<Result>(read: () => Result): Result;
  /** The row written last; undefined where there is none. */
  lastWritten(): Written | undefined;
  isThere(row: Written): boolean;
  /** The rows of this list written after that one. */
  writtenAfter(row: Written): readonly Place[];
  /** A page, from so many rows behind an anchor on, or behind the first row. */
  read(from: Anchor | undefined, skip: number): Row[];
}

interface Remembered {
  last: Written | undefined;
  /** The one that served last is the last. */
  anchors: Anchor[];
}

/** A page that begins before this row is found as fast by counting. */
const deepFrom = 500;
const maximumAnchors = 50;
const maximumLists = 200;
/** When more has been written meanwhile, counting from the first row costs less than keeping up. */
const mostToCatchUp = 1_000;

/**
 * Finds pages deep in lists that only grow. Which page is wanted is said by how many rows to pass over, and SQLite
 * passes over them one by one; but whoever asks for a page has mostly asked for the one before. So where a page began
 * is remembered, and the next is found from there. What is written meanwhile moves it down by as many rows as stand
 * before it. Rows go only when a player is erased, which changes the version, and all is forgotten.
 */
export class PageAnchors {
  readonly #lists: VersionCache<Remembered>;

  constructor(version: DataVersion) {
    this.#lists = new VersionCache(version, maximumLists);
  }

  /** The page of the list called `name` behind so many rows. */
  page<Row extends Place>(name: string, skip: number, list: AnchoredList<Row>): Row[] {
    if (skip < deepFrom) return list.read(undefined, skip);
    return list.inOneView(() => this.#deepPage(name, skip, list));
  }

  #deepPage<Row extends Place>(name: string, skip: number, list: AnchoredList<Row>): Row[] {
    const remembered = this.#lists.get(name, () => ({ last: undefined, anchors: [] }));
    if (!remembered) return list.read(undefined, skip);
    keepUp(remembered, list);
    const { anchors } = remembered;
    const nearest = anchors
      .filter((anchor) => anchor.skip <= skip)
      .reduce<Anchor | undefined>(deeper, undefined);
    const rows = list.read(nearest, skip - (nearest?.skip ?? 0));
    const [first] = rows;
    if (nearest) anchors.push(...anchors.splice(anchors.indexOf(nearest), 1));
    if (first && nearest?.skip !== skip) anchors.push({ timestamp: first.timestamp, id: first.id, skip });
    if (anchors.length > maximumAnchors) anchors.shift();
    return rows;
  }
}

/** Moves the anchors down by what has been written before them. */
function keepUp(remembered: Remembered, list: AnchoredList<Place>): void {
  const { last, anchors } = remembered;
  const now = list.lastWritten();
  remembered.last = now;
  if (!last || !now || now.rowid - last.rowid > mostToCatchUp || !list.isThere(last)) {
    anchors.length = 0;
    return;
  }
  if (now.rowid === last.rowid) return;
  for (const row of list.writtenAfter(last)) {
    for (const anchor of anchors) if (standsBefore(row, anchor)) anchor.skip++;
  }
}

function standsBefore(one: Place, other: Place): boolean {
  return one.timestamp === other.timestamp ? one.id > other.id : one.timestamp > other.timestamp;
}

function deeper(one: Anchor | undefined, other: Anchor): Anchor {
  return one && one.skip > other.skip ? one : other;
}
