import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import { id, timestamp } from '../../core/schemas/fields.ts';

/** How many players play a game now. */
export const gameStats = z
  .object({
    gameId: id,
    playing: z.int().meta({ description: 'How many players have the game open' }),
    updatedAt: timestamp,
  })
  .meta({ id: 'GameStats' });
export type GameStats = z.infer<typeof gameStats>;

/** A signal to who follows it, when the number has changed: at most every two seconds for each game. */
export const gameStatsPatched = defineEvent('game-stats patched', gameStats);
