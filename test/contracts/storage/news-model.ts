import type { NewsRow } from '../../../src/features/news/tables.ts';

/** A random number generator that repeats for a seed (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface ModelItem {
  id: string;
  gameId: string;
  pinned: boolean;
  /** Null: a draft. */
  publishAt: number | null;
  expiresAt: number | null;
  /** When it was published, as a number that counts publications; null: not yet. */
  place: number | null;
}

/** The news as nobody would store them: every player has a set of all items that they have read. */
export class NewsModel {
  readonly items = new Map<string, ModelItem>();
  readonly #read = new Map<string, Set<string>>();
  #places = 0;

  /** Stores an item, and publishes it if its time has come. */
  put(item: ModelItem, now: number): void {
    this.items.set(item.id, item);
    if (item.place === null && item.publishAt !== null && item.publishAt <= now) item.place = ++this.#places;
  }

  /** Publishes items whose time has come; returns those that can be seen. */
  publishDue(now: number): string[] {
    const due = [...this.items.values()]
      .filter(({ place, publishAt }) => place === null && publishAt !== null && publishAt <= now)
      .sort((a, b) => (a.publishAt ?? 0) - (b.publishAt ?? 0) || (a.id < b.id ? -1 : 1));
    for (const item of due) item.place = ++this.#places;
    return due.filter((item) => isVisible(item, now)).map(({ id }) => id);
  }

  /** The player reads everything in a scope that was published up to an item. */
  read(player: string, gameId: string | null, upTo: string): void {
    const last = this.items.get(upTo)?.place ?? 0;
    const read = this.#readBy(player);
    for (const item of this.items.values()) {
      if (item.place !== null && item.place <= last && isIn(item, gameId)) read.add(item.id);
    }
  }

  /** What a player sees of a scope. */
  seenBy(player: string, gameId: string | null, now: number) {
    const visible = [...this.items.values()].filter((item) => isVisible(item, now) && isIn(item, gameId));
    const latest = visible.toSorted((a, b) => (b.place ?? 0) - (a.place ?? 0));
    const read = this.#readBy(player);
    return {
      list: [...latest.filter(({ pinned }) => pinned), ...latest.filter(({ pinned }) => !pinned)].map(
        ({ id }) => ({ id, read: read.has(id) }),
      ),
      unread: visible.filter(({ id }) => !read.has(id)).length,
      newest: latest[0]?.id ?? null,
    };
  }

  #readBy(player: string): Set<string> {
    const read = this.#read.get(player) ?? new Set<string>();
    this.#read.set(player, read);
    return read;
  }
}

function isVisible({ place, expiresAt }: ModelItem, now: number): boolean {
  return place !== null && (expiresAt === null || expiresAt > now);
}

function isIn(item: Pick<NewsRow, 'gameId'>, gameId: string | null): boolean {
  return gameId === null || item.gameId === gameId;
}
