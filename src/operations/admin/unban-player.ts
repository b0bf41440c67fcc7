import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const unbanPlayer = defineOperation({
  name: 'unbanPlayer',
  service: 'admin',
  kind: 'write',
  summary: 'Let a banned player in again',
  auth: 'admin',
  input: z.object({ wallet: addressInput, gameId: idInput.optional() }),
  output: z.object({ success }),
  async handler({ input }, { store }) {
    await store.players.unban(input.wallet, input.gameId ?? null);
    return { success: true };
  },
});
