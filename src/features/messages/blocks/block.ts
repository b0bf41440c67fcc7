import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../../core/schemas/fields.ts';
import type { Owner } from '../../../core/schemas/owner.ts';

/** The most players that one player can block in a game, and the most in every game. */
export const maxBlocked = 1_000;

/** A player who blocks others: in one game, or, with a launcher's session, in every game. */
export interface Blocker extends Owner {
  /** `gameId` is a launcher's. */
  everywhere?: boolean;
}

/** A player whom another player has blocked. */
export const blockedPlayer = z
  .object({
    wallet: normalizedAddress,
    username: z.string().meta({ description: 'Empty if the player has not set one' }),
    createdAt: timestamp.meta({ description: 'When the player was blocked' }),
    everywhere: z.exactOptional(z.literal(true)).meta({
      description:
        "Set when the player is blocked in every game: with a launcher's session, which also ends the block",
    }),
  })
  .meta({ id: 'BlockedPlayer' });
export type BlockedPlayer = z.infer<typeof blockedPlayer>;

/** A player's block list has changed. Does not contain the blocked wallets, so that stored events never name them. */
export const playerBlocksRecord = z
  .object({
    gameId: id,
    normalizedAddress,
    updatedAt: timestamp,
    everywhere: z.exactOptional(z.literal(true)).meta({
      description: "Set when the list of every game has changed; `gameId` is the launcher's then",
    }),
  })
  .meta({ id: 'PlayerBlocks' });
