import type { ScoreRecord } from '../../domain/score.ts';
import type { Owner } from '../store.ts';

/** A row of the table `scores`, but for whose it is. */
export interface ScoreRow {
  id: string;
  /** Null: the server made it, and it is the id. */
  nonce: string | null;
  score: number;
  reached_at: number;
  updated_at: number;
}

export function toScoreRecord(row: ScoreRow, { gameId, wallet }: Owner): ScoreRecord {
  return {
    _id: row.id,
    nonce: row.nonce ?? row.id,
    gameId,
    normalizedAddress: wallet,
    score: row.score,
    updatedAt: row.updated_at,
  };
}
