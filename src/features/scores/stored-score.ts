import type { Owner } from '../../core/schemas/owner.ts';
import type { ScoreRecord } from './score.ts';
import type { ScoreRow } from './tables.ts';

export function toScoreRecord(
  row: Pick<ScoreRow, 'id' | 'nonce' | 'score' | 'updatedAt'> & Partial<Pick<ScoreRow, 'sessionId'>>,
  { gameId, wallet }: Owner,
): ScoreRecord {
  return {
    _id: row.id,
    nonce: row.nonce ?? row.id,
    gameId,
    normalizedAddress: wallet,
    score: row.score,
    updatedAt: row.updatedAt,
    ...(row.sessionId ? { sessionId: row.sessionId } : {}),
  };
}
