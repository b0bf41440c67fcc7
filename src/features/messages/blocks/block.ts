import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../../core/schemas/fields.ts';

/** The most players that one player can block in a game. */
export const maxBlocked = 1_000;

/** A player whom another player has blocked. */
export const blockedPlayer = z
  .object({
    wallet: normalizedAddress,
    username: z.string().meta({ description: 'Empty if the player has not set one' }),
    createdAt: timestamp.meta({ description: 'When the player was blocked' }),
  })
  .meta({ id: 'BlockedPlayer' });
export type BlockedPlayer = z.infer<typeof blockedPlayer>;

/** A player's block list has changed. Does not contain the blocked wallets, so that stored events never name them. */
export const playerBlocksRecord = z
  .object({ gameId: id, normalizedAddress, updatedAt: timestamp })
  .meta({ id: 'PlayerBlocks' });
