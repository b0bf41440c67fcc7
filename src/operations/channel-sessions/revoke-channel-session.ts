import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

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
  async handler({ input, caller: { game } }, { store }) {
    const owner = { gameId: game.id, wallet: input.wallet };
    return { success: true, ended: await store.sessions.revokeInGame(owner, input.sessionId) };
  },
});
