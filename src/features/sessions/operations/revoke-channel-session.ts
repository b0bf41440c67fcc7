import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { revokeSessionsInGame } from '../commands.ts';

export const revokeChannelSession = defineOperation({
  name: 'revokeChannelSession',
  service: 'launcher',
  kind: 'write',
  summary: "End a player's sessions in the game, or one of them; takes the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    sessionId: idInput.optional().meta({ description: "Left out: all of the player's in this game" }),
  }),
  output: z.object({ success, ended: z.int().meta({ description: 'How many sessions have ended by this' }) }),
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    const owner = { gameId: game.id, wallet: input.wallet };
    return { success: true, ended: await db.write(revokeSessionsInGame, owner, input.sessionId) };
  },
});
