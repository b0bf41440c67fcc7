import { z } from 'zod';
import { addressInput, normalizedAddress } from '../../core/schemas/address.ts';
import { id } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import { refuseName } from '../../core/schemas/word-filter.ts';
import type { Store } from '../../core/storage/store.ts';
import { defineOperation } from '../../operations/define.ts';
import { setProfile } from '../commands.ts';
import { username } from '../player.ts';

export const updatePlayerProfile = defineOperation({
  name: 'updatePlayerProfile',
  service: 'launcher',
  kind: 'write',
  summary: "Set a player's name, the same in every game; takes the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    username: username.meta({ description: 'At most 40 characters; empty removes the name' }),
  }),
  output: z.object({ success, wallet: normalizedAddress, userId: id, username: z.string() }),
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    refuseName(game.policies.wordFilter, input.username, 'username');
    const { wallet, userId, username } = await db.write(setProfile, input.wallet, {
      username: input.username,
    });
    return { success: true, wallet, userId, username };
  },
});
