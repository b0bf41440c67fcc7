import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { defineEvent } from '../../core/events/event.ts';
import type { EventText } from '../../core/events/stream.ts';
import { withReason } from '../../core/schemas/field-reason.ts';
import { id, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';
import { defaultLeaderboard } from './leaderboard.ts';

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

export const scoreCreated = defineEvent('scores created', scoreRecord);
export const scorePatched = defineEvent('scores patched', scoreRecord);
export const scoreRemoved = defineEvent('scores removed', scoreRecord);

/** A finished season of a leaderboard. Its ranking is kept, and is read by its number. */
const endedSeason = z
  .object({
    gameId: id,
    leaderboard: z.string(),
    season: z.int(),
    startedAt: timestamp,
    endedAt: timestamp,
    nextSeason: z.int(),
    nextSeasonEndsAt: timestamp
      .nullable()
      .meta({ description: 'When the next season is scheduled to end; null: no schedule' }),
  })
  .meta({ id: 'EndedSeason' });
export const seasonEnded = defineEvent('leaderboard-seasons ended', endedSeason);

/** The changed rows among the first `leaderboardTop` of a game's leaderboard; `length`: how many rows that top has. */
const leaderboardChange = z
  .object({ gameId: id, length: z.int(), rows: z.array(leaderboardRow) })
  .meta({ id: 'LeaderboardChange' });
export type LeaderboardChange = z.infer<typeof leaderboardChange>;

/** The same for a named leaderboard, in its current season. */
const namedLeaderboardChange = leaderboardChange
  .extend({ leaderboard: z.string() })
  .meta({ id: 'NamedLeaderboardChange' });
export type NamedLeaderboardChange = z.infer<typeof namedLeaderboardChange>;

/** A separate signal, so that clients that only know `default` do not mistake another leaderboard for it. */
export const namedLeaderboardPatched = defineEvent('named-leaderboards patched', namedLeaderboardChange);

/** A signal. */
export const leaderboardPatched = defineEvent('leaderboards patched', leaderboardChange);

/** Whether an event may have changed a ranking: that of `leaderboardOf`. */
export function changesRanking({ name }: Pick<EventText, 'name'>): boolean {
  return name.startsWith('scores ') || name === seasonEnded.name;
}

/** The leaderboard whose ranking an event may have changed. */
export function leaderboardOf({ record }: EventText): string {
  return JSON.parse(record).leaderboard ?? defaultLeaderboard;
}

/** Score events go to the score's player. */
export function audienceOf({ gameId, wallet }: Owner) {
  return { kind: 'players' as const, gameId, wallets: [wallet] };
}
