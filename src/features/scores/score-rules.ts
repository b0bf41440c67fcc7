import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { LeaderboardPolicy } from '../games/game.ts';
import type { ScoreRecord } from './score.ts';
import type { BoardRow, ScoreRow } from './tables.ts';

/** @throws GantryError `score_not_integer` */
export function toIntegerScore(score: number, fractions: 'refuse' | 'round'): number {
  if (Number.isSafeInteger(score)) return score;
  if (fractions === 'round') return Math.round(score);
  const field = { path: 'score', message: 'must be a whole number: this game does not allow fractions' };
  throw new GantryError('score_not_integer', `${field.path}: ${field.message}`, { fields: [field] });
}

/** Score events go to the score's player. */
export function audienceOf({ gameId, wallet }: Owner) {
  return { kind: 'players' as const, gameId, wallets: [wallet] };
}

/** The player whose stream it is; null for other streams. */
export function ownerIn(stream: string): Owner | null {
  const [kind, gameId = '', wallet = ''] = stream.split(':');
  return kind === 'player' ? { gameId, wallet } : null;
}

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

/** A stored score as clients see it. */
export function toScoreRecord(
  row: Pick<ScoreRow, 'id' | 'nonce' | 'score' | 'updatedAt' | 'sessionId' | 'metadata'>,
  { gameId, wallet }: Owner,
): ScoreRecord {
  return {
    _id: row.id,
    nonce: row.nonce ?? row.id,
    gameId,
    normalizedAddress: wallet,
    score: row.score,
    updatedAt: row.updatedAt,
    ...(row.sessionId === null ? {} : { sessionId: row.sessionId }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as Record<string, unknown> }),
  };
}
