import { z } from 'zod';
import { normalizedAddress } from '../core/schemas/address.ts';
import { id, timestamp } from '../core/schemas/ids.ts';

/** The most players whom one player blocks in a game. */
export const maxBlocked = 1_000;

/** Someone whom a player has blocked. */
export const blockedPlayer = z
  .object({
    wallet: normalizedAddress,
    username: z.string().meta({ description: 'Empty when the player never chose one' }),
    createdAt: timestamp.meta({ description: 'When the player was blocked' }),
  })
  .meta({ id: 'BlockedPlayer' });
export type BlockedPlayer = z.infer<typeof blockedPlayer>;

/** That a player's list of blocked players has changed; whom it names is not in the event, so that it names nobody for ever. */
export const playerBlocksRecord = z
  .object({ gameId: id, normalizedAddress, updatedAt: timestamp })
  .meta({ id: 'PlayerBlocks' });
