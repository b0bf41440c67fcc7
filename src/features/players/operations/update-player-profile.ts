import { z } from 'zod';
import { addressInput, normalizedAddress } from '../../../core/schemas/address.ts';
import { id } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { nameVouchedPlayer } from '../commands.ts';
import { username } from '../player.ts';

export const updatePlayerProfile = defineOperation({
  name: 'updatePlayerProfile',
  service: 'launcher',
  kind: 'write',
  summary: "Set the name of a guest that the game's server vouches for; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    username: username.meta({ description: 'At most 40 characters; empty removes the name' }),
  }),
  output: z.object({ success, wallet: normalizedAddress, userId: id, username: z.string() }),
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    const { wallet, userId, username } = await db.write(
      nameVouchedPlayer,
      { gameId: game.id, wallet: input.wallet },
      input.username,
    );
    return { success: true, wallet, userId, username };
  },
});
