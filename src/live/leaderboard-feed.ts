import type { StoredEvent } from '../core/events/stream.ts';
import { repeat } from '../runtime/repeat.ts';
import type { LeaderboardChange } from '../scores/events.ts';
import type { LeaderboardRow } from '../scores/score.ts';

/** At most four changes a second for a game, however many scores are set. */
const coalesceMs = 250;
/** A board also changes without a score: by a player's name, an erasure, the game's policy, in any process. */
const checkIntervalMs = 5_000;

interface Followed {
  /** What its followers have been told last. */
  rows: LeaderboardRow[];
  timer: NodeJS.Timeout | null;
  /** Its rows are being read: what is told next must not be older. */
  isReading: boolean;
}

export interface LeaderboardFeedParts {
  /** The leaderboard that an event changes; null: none of these. */
  keyOf(event: StoredEvent): string | null;
  /** Followers need not have asked for the rows: the first change tells all of them. */
  isUnasked?: boolean;
  /** The first rows of a leaderboard as they stand. */
  top(key: string): Promise<LeaderboardRow[]>;
  isFollowed(key: string): boolean;
  tell(key: string, change: Pick<LeaderboardChange, 'length' | 'rows'>): void;
  report(thrown: unknown): void;
}

/**
 * Tells followers which of a leaderboard's first rows changed. A game's own, `default`, goes by the game's id as its key. Many scores become one change: a
 * score only marks the leaderboard as changed, and at most four times a second it is read and compared.
 */
export class LeaderboardFeed {
  readonly #parts: LeaderboardFeedParts;
  readonly #boards = new Map<string, Followed>();
  readonly #stop = new AbortController();

  constructor(parts: LeaderboardFeedParts) {
    this.#parts = parts;
    const markAll = () => {
      for (const [key, followed] of this.#boards) this.#mark(key, followed);
    };
    repeat(markAll, { everyMs: checkIntervalMs, signal: this.#stop.signal, report: parts.report });
  }

  /** The rows as they stand, from which on changes are told. */
  async follow(gameId: string): Promise<LeaderboardRow[]> {
    // Known before it is read: a score set meanwhile must find it.
    if (!this.#boards.has(gameId)) this.#boards.set(gameId, { rows: [], timer: null, isReading: false });
    const rows = await this.#parts.top(gameId);
    const followed = this.#boards.get(gameId);
    if (followed?.rows.length === 0) followed.rows = rows;
    return rows;
  }

  /** Tells all the rows as they stand, for someone who has missed changes; from then on changes are told. */
  show(gameId: string, tell: (change: LeaderboardChange) => void): void {
    this.follow(gameId).then((rows) => tell({ gameId, length: rows.length, rows }), this.#parts.report);
  }

  accept(events: readonly StoredEvent[]): void {
    const { keyOf, isUnasked = false, isFollowed } = this.#parts;
    if (this.#boards.size === 0 && !isUnasked) return;
    for (const event of events) {
      const key = keyOf(event);
      if (key === null) continue;
      let followed = this.#boards.get(key);
      if (!followed && isUnasked && isFollowed(key)) {
        followed = { rows: [], timer: null, isReading: false };
        this.#boards.set(key, followed);
      }
      if (followed) this.#mark(key, followed);
    }
  }

  close(): void {
    this.#stop.abort();
    for (const { timer } of this.#boards.values()) if (timer) clearTimeout(timer);
    this.#boards.clear();
  }

  #mark(key: string, followed: Followed): void {
    followed.timer ??= setTimeout(() => this.#compare(key, followed), coalesceMs).unref();
  }

  #compare(key: string, followed: Followed): void {
    followed.timer = null;
    if (followed.isReading) {
      this.#mark(key, followed);
      return;
    }
    if (!this.#parts.isFollowed(key)) {
      this.#boards.delete(key);
      return;
    }
    followed.isReading = true;
    const read = this.#parts.top(key).finally(() => {
      followed.isReading = false;
    });
    read.then((rows) => {
      const changed = rows.filter((row, index) => !isSame(row, followed.rows[index]));
      const shorter = rows.length < followed.rows.length;
      followed.rows = rows;
      if (changed.length > 0 || shorter) this.#parts.tell(key, { length: rows.length, rows: changed });
    }, this.#parts.report);
  }
}

function isSame(row: LeaderboardRow, before: LeaderboardRow | undefined): boolean {
  return (
    before !== undefined &&
    row._id === before._id &&
    row.score === before.score &&
    row.updatedAt === before.updatedAt &&
    row.username === before.username &&
    row.avatar === before.avatar
  );
}
