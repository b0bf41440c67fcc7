import type { StoredEvent } from '../../core/events/stream.ts';
import type { LeaderboardChange } from '../../features/scores/events.ts';
import type { LeaderboardRow } from '../../features/scores/score.ts';
import { repeat } from '../../runtime/repeat.ts';

/** At most four changes a second for a game, however many scores are set. */
const coalesceMs = 250;
/** A leaderboard also changes without a score: by a player's name, an erasure, the game's policy, in any process. */
const checkIntervalMs = 5_000;

interface Followed {
  /** The rows last sent to its followers. */
  rows: LeaderboardRow[];
  timer: NodeJS.Timeout | null;
  /** A read of its rows is in flight; reads must not overlap, or an older one could be sent last. */
  isReading: boolean;
}

export interface LeaderboardFeedOptions {
  /** The leaderboard that an event changes; null when it changes none that this feed covers. */
  keyOf(event: StoredEvent): string | null;
  /** Changes are sent without a prior `follow`: the first one has all rows. */
  isAutomatic?: boolean;
  /** The current first rows of a leaderboard. */
  top(key: string): Promise<LeaderboardRow[]>;
  isFollowed(key: string): boolean;
  onChange(key: string, change: Pick<LeaderboardChange, 'length' | 'rows'>): void;
  report(thrown: unknown): void;
}

/**
 * Sends followers the changes of a leaderboard's first rows. The key of a game's `default` leaderboard is the game's
 * id. Scores are coalesced: a score only marks the leaderboard as changed, and at most four times a second it is read
 * and compared.
 */
export class LeaderboardFeed {
  readonly #options: LeaderboardFeedOptions;
  readonly #boards = new Map<string, Followed>();
  readonly #stop = new AbortController();

  constructor(options: LeaderboardFeedOptions) {
    this.#options = options;
    const markAll = () => {
      for (const [key, followed] of this.#boards) this.#mark(key, followed);
    };
    repeat(markAll, { everyMs: checkIntervalMs, signal: this.#stop.signal, report: options.report });
  }

  /** Returns the current rows; later changes are relative to them. */
  async follow(gameId: string): Promise<LeaderboardRow[]> {
    // Registered before the read, so that a score set meanwhile marks it as changed.
    if (!this.#boards.has(gameId)) this.#boards.set(gameId, { rows: [], timer: null, isReading: false });
    const rows = await this.#options.top(gameId);
    const followed = this.#boards.get(gameId);
    if (followed?.rows.length === 0) followed.rows = rows;
    return rows;
  }

  /** Sends all current rows to a follower that may have missed changes; later changes are relative to them. */
  show(gameId: string, send: (change: LeaderboardChange) => void): void {
    this.follow(gameId).then((rows) => send({ gameId, length: rows.length, rows }), this.#options.report);
  }

  accept(events: readonly StoredEvent[]): void {
    const { keyOf, isAutomatic = false, isFollowed } = this.#options;
    if (this.#boards.size === 0 && !isAutomatic) return;
    for (const event of events) {
      const key = keyOf(event);
      if (key === null) continue;
      let followed = this.#boards.get(key);
      if (!followed && isAutomatic && isFollowed(key)) {
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
    if (!this.#options.isFollowed(key)) {
      this.#boards.delete(key);
      return;
    }
    followed.isReading = true;
    const read = this.#options.top(key).finally(() => {
      followed.isReading = false;
    });
    read.then((rows) => {
      const changed = rows.filter((row, index) => !isSame(row, followed.rows[index]));
      const shorter = rows.length < followed.rows.length;
      followed.rows = rows;
      if (changed.length > 0 || shorter) this.#options.onChange(key, { length: rows.length, rows: changed });
    }, this.#options.report);
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
