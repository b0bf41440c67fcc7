import type { LeaderboardRow } from '../domain/score.ts';
import type { Cursor } from '../events/stream.ts';

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
