import type { Owner } from '../../core/schemas/owner.ts';
import type { LeaderboardPolicy } from '../games/game.ts';
import type { BoardRow, ScoreRow } from './tables.ts';

/** The factor by which a score is multiplied so that the best one sorts first. */
export function directionOf(order: LeaderboardPolicy['order']): 1 | -1 {
  return order === 'desc' ? -1 : 1;
}

/** The leaderboard row that ranks a record. */
export function toBoardRow(
  { stream, id, score, reachedAt }: ScoreRow,
  { gameId }: Owner,
  { order }: LeaderboardPolicy,
): BoardRow {
  return { stream, gameId, scoreId: id, sortScore: score * directionOf(order), reachedAt };
}

/** A leaderboard's order: by score, then by who reached it first, then by id. */
export function ranksBefore(one: BoardRow, other: BoardRow): boolean {
  if (one.sortScore !== other.sortScore) return one.sortScore < other.sortScore;
  if (one.reachedAt !== other.reachedAt) return one.reachedAt < other.reachedAt;
  return one.scoreId < other.scoreId;
}
