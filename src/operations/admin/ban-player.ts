import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { text } from '../../domain/text.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const banPlayer = defineOperation({
  name: 'banPlayer',
  service: 'admin',
  kind: 'write',
  summary: 'Keep a player out of a game, or of every game, and end the sessions there',
  auth: 'admin',
  input: z.object({
    wallet: addressInput,
    gameId: idInput.optional().meta({ description: 'Left out: every game' }),
    reason: text(0, 500).default(''),
  }),
  output: z.object({ success }),
  async handler({ input }, { store }) {
    if (input.gameId !== undefined) await requireGame(store, input.gameId);
    await store.players.ban(input.wallet, input.gameId ?? null, input.reason);
    return { success: true };
  },
});
