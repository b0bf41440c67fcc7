import type { StoredEvent } from '../../core/events/stream.ts';
import { defaultLeaderboard } from '../../features/scores/leaderboard.ts';
import {
  changesRanking,
  type LeaderboardChange,
  type LeaderboardRow,
  leaderboardOf,
  type NamedLeaderboardChange,
} from '../../features/scores/score.ts';
import { repeat } from '../../runtime/repeat.ts';

/** At most four changes a second for a game, however many scores are set. */
const coalesceMs = 250;
/** A leaderboard also changes without a score: by a player's name, an erasure, the game's policy, in any process. */
const checkIntervalMs = 5_000;

interface Followed {
  readonly gameId: string;
  readonly leaderboard: string;
  /** The rows last sent to its followers. */
  rows: LeaderboardRow[];
  /** Nothing was sent yet: the first change has all rows. */
  isNew: boolean;
  timer: NodeJS.Timeout | null;
  /** A read of its rows is in flight; reads must not overlap, or an older one could be sent last. */
  isReading: boolean;
}

export interface LeaderboardFeedOptions {
  /** The current first rows of a leaderboard. */
  top(gameId: string, leaderboard: string): Promise<LeaderboardRow[]>;
  /** Whether anyone follows the game. */
  isFollowed(gameId: string): boolean;
  onChange(change: NamedLeaderboardChange): void;
  report(thrown: unknown): void;
}

/**
 * Sends a game's followers the changes of the first rows of its leaderboards. Scores are coalesced: a score only marks
 * the leaderboard as changed, and at most four times a second it is read and compared. Without a prior `follow`, the
 * first change has all rows.
 */
export class LeaderboardFeed {
  readonly #options: LeaderboardFeedOptions;
  /** By game and name. */
  readonly #boards = new Map<string, Followed>();
  readonly #stop = new AbortController();

  constructor(options: LeaderboardFeedOptions) {
    this.#options = options;
    const markAll = () => {
      for (const followed of this.#boards.values()) this.#mark(followed);
    };
    repeat(markAll, { everyMs: checkIntervalMs, signal: this.#stop.signal, report: options.report });
  }

  /** Returns the current rows of a game's `default`; later changes are relative to them. */
  async follow(gameId: string): Promise<LeaderboardRow[]> {
    return this.#begin(gameId, defaultLeaderboard);
  }

  /**
   * Compares a named leaderboard from now on, as from its first score on: a change without a score is then sent too.
   * Resolves once its current rows are known.
   */
  async watch(gameId: string, leaderboard: string): Promise<void> {
    const known = this.#boards.get(keyOf(gameId, leaderboard))?.rows ?? [];
    if (known.length === 0) await this.#begin(gameId, leaderboard);
  }

  /** Sends all current rows to a follower that may have missed changes; later changes are relative to them. */
  show(gameId: string, send: (change: LeaderboardChange) => void): void {
    this.follow(gameId).then((rows) => send({ gameId, length: rows.length, rows }), this.#options.report);
  }

  accept(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (!changesRanking(event) || event.audience.kind === 'account') continue;
      const { gameId } = event.audience;
      if (this.#options.isFollowed(gameId)) this.#mark(this.#register(gameId, leaderboardOf(event)));
    }
  }

  close(): void {
    this.#stop.abort();
    for (const { timer } of this.#boards.values()) if (timer) clearTimeout(timer);
    this.#boards.clear();
  }

  /** Returns the current rows, relative to which later changes are, unless earlier rows are known. */
  async #begin(gameId: string, leaderboard: string): Promise<LeaderboardRow[]> {
    // Registered before the read, so that a score set meanwhile marks it as changed.
    this.#register(gameId, leaderboard);
    const rows = await this.#options.top(gameId, leaderboard);
    const followed = this.#boards.get(keyOf(gameId, leaderboard));
    if (followed?.rows.length === 0) followed.rows = rows;
    return rows;
  }

  #register(gameId: string, leaderboard: string): Followed {
    const key = keyOf(gameId, leaderboard);
    const followed = this.#boards.get(key) ?? {
      gameId,
      leaderboard,
      rows: [],
      isNew: leaderboard !== defaultLeaderboard,
      timer: null,
      isReading: false,
    };
    this.#boards.set(key, followed);
    return followed;
  }

  #mark(followed: Followed): void {
    followed.timer ??= setTimeout(() => this.#compare(followed), coalesceMs).unref();
  }

  #compare(followed: Followed): void {
    const { gameId, leaderboard } = followed;
    followed.timer = null;
    if (followed.isReading) {
      this.#mark(followed);
      return;
    }
    if (!this.#options.isFollowed(gameId)) {
      this.#boards.delete(keyOf(gameId, leaderboard));
      return;
    }
    followed.isReading = true;
    const read = this.#options.top(gameId, leaderboard).finally(() => {
      followed.isReading = false;
    });
    read.then((rows) => {
      const changed = rows.filter((row, index) => !isSame(row, followed.rows[index]));
      const shorter = rows.length < followed.rows.length;
      followed.rows = rows;
      if (changed.length === 0 && !shorter) return;
      const sent = followed.isNew ? rows : changed;
      followed.isNew = false;
      this.#options.onChange({ gameId, leaderboard, length: rows.length, rows: sent });
    }, this.#options.report);
  }
}

function keyOf(gameId: string, leaderboard: string): string {
  return `${gameId} ${leaderboard}`;
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
