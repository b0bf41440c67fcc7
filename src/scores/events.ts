import { z } from 'zod';
import { defineEvent } from '../core/events/event.ts';
import { id } from '../core/schemas/ids.ts';
import { leaderboardRow, scoreRecord } from './score.ts';

export const scoreCreated = defineEvent('scores created', scoreRecord);
export const scorePatched = defineEvent('scores patched', scoreRecord);
export const scoreRemoved = defineEvent('scores removed', scoreRecord);

/** The rows of a game's leaderboard that changed among the first `leaderboardTop`, and how many of those there are. */
const leaderboardChange = z
  .object({ gameId: id, length: z.int(), rows: z.array(leaderboardRow) })
  .meta({ id: 'LeaderboardChange' });
export type LeaderboardChange = z.infer<typeof leaderboardChange>;

/** A signal. */
export const leaderboardPatched = defineEvent('leaderboards patched', leaderboardChange);
