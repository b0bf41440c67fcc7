import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { success } from '../../domain/outcome.ts';
import { username } from '../../domain/player.ts';
import { defineOperation } from '../define.ts';

export const updatePlayer = defineOperation({
  name: 'updatePlayer',
  service: 'admin',
  kind: 'write',
  summary: "Change a player's name or picture; empty takes it away",
  auth: 'admin',
  input: z.object({
    wallet: addressInput,
    username: username.optional(),
    avatar: z.union([z.url({ protocol: /^https?$/ }).max(2000), z.literal('')]).optional(),
  }),
  output: z.object({
    success,
    wallet: z.string(),
    userId: z.string(),
    username: z.string(),
    avatar: z.string(),
  }),
  async handler({ input }, { store }) {
    return { success: true, ...(await store.players.setProfile(input.wallet, input)) };
  },
});
