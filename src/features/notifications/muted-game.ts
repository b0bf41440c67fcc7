import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';

/** A game whose notifications the player has turned off. */
export const mutedGame = z
  .object({
    gameId: id,
    slug: z.string(),
    name: z.string(),
    image: z.string(),
    mutedAt: timestamp.meta({ description: 'When its notifications were turned off, in Unix milliseconds' }),
  })
  .meta({ id: 'MutedGame' });
export type MutedGame = z.infer<typeof mutedGame>;

/** A player has turned the notifications of a game off or on. */
export const mutedGameRecord = z
  .object({ normalizedAddress, gameId: id, muted: z.boolean(), updatedAt: timestamp })
  .meta({ id: 'MutedGameRecord' });
