import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import type { EventText } from '../../core/events/stream.ts';
import { id, timestamp } from '../../core/schemas/fields.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { defaultLeaderboard } from './leaderboard.ts';
import { leaderboardRow, scoreRecord } from './score.ts';

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
