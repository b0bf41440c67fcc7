import type { LeaderboardRow } from '../../domain/score.ts';
import type { LeaderboardChange } from '../../events/catalogue.ts';
import type { StoredEvent } from '../../events/stream.ts';

/** At most four changes a second for a game, however many scores are set. */
const quietMs = 250;

interface Followed {
  /** What its followers have been told last. */
  rows: LeaderboardRow[];
  timer: NodeJS.Timeout | null;
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

  constructor(parts: LeaderboardFeedParts) {
    this.#parts = parts;
  }

  /** The rows as they stand, from which on changes are told. */
  async follow(gameId: string): Promise<LeaderboardRow[]> {
    // Known before it is read: a score set meanwhile must find it.
    if (!this.#games.has(gameId)) this.#games.set(gameId, { rows: [], timer: null });
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
      if (!followed || followed.timer) continue;
      followed.timer = setTimeout(() => this.#compare(audience.gameId, followed), quietMs).unref();
    }
  }

  close(): void {
    for (const { timer } of this.#games.values()) if (timer) clearTimeout(timer);
    this.#games.clear();
  }

  #compare(gameId: string, followed: Followed): void {
    followed.timer = null;
    if (!this.#parts.isFollowed(gameId)) {
      this.#games.delete(gameId);
      return;
    }
    this.#parts.top(gameId).then((rows) => {
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
