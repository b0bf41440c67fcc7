import type { Cursor } from '../../core/events/stream.ts';
import type { GameStats } from '../playtime/events.ts';
import type { LeaderboardRow } from '../scores/score.ts';

/** The maximum number of games whose public streams a connection may follow: each costs reads of a leaderboard. */
export const maxFollowed = 100;

/** As basement.fun's clients subscribe; each change of a game's number is sent with it. */
export interface GameStatsSubscription {
  channel: 'game-stats';
  gameIds: readonly string[];
  filter: 'all';
}

/** The live connection of a call, for operations about the connection itself. */
export interface Connection {
  /**
   * Subscribes to a game's public stream. Idempotent.
   * @throws GantryError `input_invalid` when too many are followed already
   */
  follow(gameId: string): Promise<{ stream: string; cursor: Cursor; leaderboard: LeaderboardRow[] }>;
  unfollow(gameId: string): void;
  /**
   * The client has read a leaderboard: if it follows the game, the changes without a score, such as of a name, are sent
   * too, of at most `maxFollowed` named leaderboards. Call it before the rows are read, so that none is missed.
   */
  watchLeaderboard(gameId: string, leaderboard: string): Promise<void>;
  /** The ids of the games followed. */
  followed(): string[];
  /** Follows how many play these games, at most `maxFollowed`, instead of those before; returns the current numbers. */
  followGameStats(gameIds: readonly string[]): GameStats[];
  /** Also sends `game-stats-change` with this subscription, for games that are followed. */
  followGameStatsAs(subscription: GameStatsSubscription): void;
}
