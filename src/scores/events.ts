import { z } from 'zod';
import { defineEvent } from '../core/events/event.ts';
import type { StoredEvent } from '../core/events/stream.ts';
import { id, timestamp } from '../core/schemas/ids.ts';
import { defaultLeaderboard } from './leaderboard.ts';
import { leaderboardRow, scoreRecord } from './score.ts';

export const scoreCreated = defineEvent('scores created', scoreRecord);
export const scorePatched = defineEvent('scores patched', scoreRecord);
export const scoreRemoved = defineEvent('scores removed', scoreRecord);

/** A season of a leaderboard that is over: what was ranked in it stays, and is read by its number. */
const endedSeason = z
  .object({
    gameId: id,
    leaderboard: z.string(),
    season: z.int(),
    startedAt: timestamp,
    endedAt: timestamp,
    nextSeason: z.int(),
    nextSeasonEndsAt: timestamp.nullable().meta({ description: 'By its schedule; null: no schedule' }),
  })
  .meta({ id: 'EndedSeason' });
export const seasonEnded = defineEvent('leaderboard-seasons ended', endedSeason);

/** The rows of a game's leaderboard that changed among the first `leaderboardTop`, and how many of those there are. */
const leaderboardChange = z
  .object({ gameId: id, length: z.int(), rows: z.array(leaderboardRow) })
  .meta({ id: 'LeaderboardChange' });
export type LeaderboardChange = z.infer<typeof leaderboardChange>;

/** The same of a leaderboard that has a name, in its season under way. */
const namedLeaderboardChange = leaderboardChange
  .extend({ leaderboard: z.string() })
  .meta({ id: 'NamedLeaderboardChange' });
export type NamedLeaderboardChange = z.infer<typeof namedLeaderboardChange>;

/** A signal of its own, so that clients that know of `default` only take no other for it. */
export const namedLeaderboardPatched = defineEvent('named-leaderboards patched', namedLeaderboardChange);

/** A signal. */
export const leaderboardPatched = defineEvent('leaderboards patched', leaderboardChange);

/** The leaderboard on which an event may have moved something; null: none. */
export function leaderboardOf({ name, record }: StoredEvent): string | null {
  if (!name.startsWith('scores ') && name !== seasonEnded.name) return null;
  return 'leaderboard' in record ? String(record.leaderboard) : defaultLeaderboard;
}
