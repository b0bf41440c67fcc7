import type { Cursor } from '../core/events/stream.ts';
import type { LeaderboardRow } from '../scores/score.ts';

/** The games whose public streams a connection may follow at once: each costs a look at a leaderboard. */
export const maxFollowed = 100;

/** The live connection a call came over, for operations about the connection itself. */
export interface Connection {
  /**
   * Begins to hear a game's public stream; following it twice changes nothing.
   * @throws GantryError `input_invalid` when too many are followed already
   */
  follow(gameId: string): Promise<{ stream: string; cursor: Cursor; leaderboard: LeaderboardRow[] }>;
  unfollow(gameId: string): void;
  /** The ids of the games followed. */
  followed(): string[];
}
