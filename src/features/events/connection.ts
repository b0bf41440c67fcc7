import type { Cursor } from '../../core/events/stream.ts';
import type { LeaderboardRow } from '../scores/score.ts';

/** The maximum number of games whose public streams a connection may follow: each costs reads of a leaderboard. */
export const maxFollowed = 100;

/** The live connection of a call, for operations about the connection itself. */
export interface Connection {
  /**
   * Subscribes to a game's public stream. Idempotent.
   * @throws GantryError `input_invalid` when too many are followed already
   */
  follow(gameId: string): Promise<{ stream: string; cursor: Cursor; leaderboard: LeaderboardRow[] }>;
  unfollow(gameId: string): void;
  /** The ids of the games followed. */
  followed(): string[];
}
