import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { withReason } from '../../core/schemas/field-reason.ts';
import { id, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';

export const scoreRecord = z
  .object({
    _id: id,
    nonce: z.string(),
    gameId: id,
    normalizedAddress,
    score: z.number(),
    updatedAt: timestamp,
    sessionId: z.exactOptional(z.string()),
    leaderboard: z.exactOptional(z.string()).meta({ description: 'Omitted: `default`' }),
    season: z.exactOptional(z.int()).meta({ description: 'Only on named leaderboards' }),
    label: z.exactOptional(z.string()),
    metadata: z.exactOptional(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'ScoreRecord' });
export type ScoreRecord = z.infer<typeof scoreRecord>;

/** A leaderboard row as stored; username and avatar may be empty (see `Player`). */
export interface RankedScore extends ScoreRecord {
  username: string;
  avatar: string;
}

export const leaderboardEntry = scoreRecord
  .omit({ sessionId: true })
  .extend({ username: z.string().min(1), avatar: z.string().min(1) })
  .meta({ id: 'LeaderboardEntry' });
export type LeaderboardEntry = z.infer<typeof leaderboardEntry>;

/** The same with its place, from 1. */
export interface PlacedScore extends RankedScore {
  position: number;
}

/** How many rows of a leaderboard are sent as live updates. */
export const leaderboardTop = 50;

export const leaderboardRow = leaderboardEntry
  .extend({ position: z.int().min(1) })
  .meta({ id: 'LeaderboardRow' });
export type LeaderboardRow = z.infer<typeof leaderboardRow>;

/**
 * A client-chosen id for a record, to find it again or to make a call idempotent. Empty counts as omitted: Unity's
 * JsonUtility writes null strings that way.
 */
export const nonce = notSeen(
  text(0, 200)
    .transform((value) => value || undefined)
    .optional(),
  'id',
);

/** The play session in which the score was made: its id in trackGameSessions, or any id the game uses. */
export const scoreSession = notSeen(
  text(0, 200)
    .transform((value) => value || undefined)
    .optional(),
  'id',
).meta({
  description: 'The play session in which the score was made, as in `trackGameSessions`; stored with it',
});

/** What a whole number must be that a double holds exactly, as do all smaller ones. */
const safeInteger = 'must be a whole number between -9007199254740991 and 9007199254740991';

/** A score on a dedicated path: a whole number that a double holds exactly (±2^53−1). */
export const integerScore = withReason(z.int(safeInteger), 'score_not_integer');

/** A score on the method-dispatch path: any finite number (INTERFACE.md section 2). */
export const finiteScore = withReason(z.number('must be a finite number'), 'score_not_finite');

/** @throws GantryError `score_not_integer` */
export function toIntegerScore(score: number, fractions: 'refuse' | 'round'): number {
  if (Number.isSafeInteger(score)) return score;
  if (fractions === 'round') return Math.round(score);
  throw invalidField(
    'score',
    Number.isInteger(score)
      ? `${safeInteger}: this game's scores are whole numbers`
      : 'must be a whole number: this game does not allow fractions',
    'score_not_integer',
  );
}
