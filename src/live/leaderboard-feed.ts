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
  /** The first rows of a game's leaderboard as they stand. */
  top(gameId: string): Promise<LeaderboardRow[]>;
  isFollowed(gameId: string): boolean;
  tell(change: LeaderboardChange): void;
  report(thrown: unknown): void;
}

/**
 * Tells a game's followers which of its leaderboard's first rows changed. Many scores become one change: a
 * score only marks the leaderboard as changed, and at most four times a second it is read and compared.
 */
export class LeaderboardFeed {
  readonly #parts: LeaderboardFeedParts;
  readonly #games = new Map<string, Followed>();
  readonly #stop = new AbortController();

  constructor(parts: LeaderboardFeedParts) {
    this.#parts = parts;
    const markAll = () => {
      for (const [gameId, followed] of this.#games) this.#mark(gameId, followed);
    };
    repeat(markAll, { everyMs: checkIntervalMs, signal: this.#stop.signal, report: parts.report });
  }

  /** The rows as they stand, from which on changes are told. */
  async follow(gameId: string): Promise<LeaderboardRow[]> {
    // Known before it is read: a score set meanwhile must find it.
    if (!this.#games.has(gameId)) this.#games.set(gameId, { rows: [], timer: null, isReading: false });
    const rows = await this.#parts.top(gameId);
    const followed = this.#games.get(gameId);
    if (followed?.rows.length === 0) followed.rows = rows;
    return rows;
  }

  /** Tells all the rows as they stand, for someone who has missed changes; from then on changes are told. */
  show(gameId: string, tell: (change: LeaderboardChange) => void): void {
    this.follow(gameId).then((rows) => tell({ gameId, length: rows.length, rows }), this.#parts.report);
  }

  accept(events: readonly StoredEvent[]): void {
    if (this.#games.size === 0) return;
    for (const { name, audience } of events) {
      if (!name.startsWith('scores ')) continue;
      const followed = this.#games.get(audience.gameId);
      if (followed) this.#mark(audience.gameId, followed);
    }
  }

  close(): void {
    this.#stop.abort();
    for (const { timer } of this.#games.values()) if (timer) clearTimeout(timer);
    this.#games.clear();
  }

  #mark(gameId: string, followed: Followed): void {
    followed.timer ??= setTimeout(() => this.#compare(gameId, followed), coalesceMs).unref();
  }

  #compare(gameId: string, followed: Followed): void {
    followed.timer = null;
    if (followed.isReading) {
      this.#mark(gameId, followed);
      return;
    }
    if (!this.#parts.isFollowed(gameId)) {
      this.#games.delete(gameId);
      return;
    }
    followed.isReading = true;
    const read = this.#parts.top(gameId).finally(() => {
      followed.isReading = false;
    });
    read.then((rows) => {
      const changed = rows.filter((row, index) => !isSame(row, followed.rows[index]));
      const shorter = rows.length < followed.rows.length;
      followed.rows = rows;
      if (changed.length > 0 || shorter) this.#parts.tell({ gameId, length: rows.length, rows: changed });
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
