import type { Owner } from '../core/schemas/owner.ts';
import type { LeaderboardPolicy } from '../games/game.ts';
import type { BoardRow, ScoreRow } from './tables.ts';

/** What a score is multiplied with to make the best one sort first. */
export function directionOf(order: LeaderboardPolicy['order']): 1 | -1 {
  return order === 'desc' ? -1 : 1;
}

/** The row of the leaderboard that has a record as the one that counts. */
export function toBoardRow(
  { stream, id, score, reachedAt }: ScoreRow,
  { gameId }: Owner,
  { order }: LeaderboardPolicy,
): BoardRow {
  return { stream, gameId, scoreId: id, sortScore: score * directionOf(order), reachedAt };
}

/** The order of a leaderboard: by score, then who was there first, then by id. */
export function ranksBefore(one: BoardRow, other: BoardRow): boolean {
  if (one.sortScore !== other.sortScore) return one.sortScore < other.sortScore;
  if (one.reachedAt !== other.reachedAt) return one.reachedAt < other.reachedAt;
  return one.scoreId < other.scoreId;
}
