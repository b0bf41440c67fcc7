import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { webUrl } from '../../../core/schemas/web-url.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { setProfile } from '../commands.ts';
import { username } from '../player.ts';

export const updatePlayer = defineOperation({
  name: 'updatePlayer',
  service: 'admin',
  kind: 'write',
  summary: "Change a player's name or picture; empty removes it",
  auth: 'admin',
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    username: username.optional(),
    avatar: z.union([webUrl, z.literal('')]).optional(),
  }),
  output: z.object({
    success,
    wallet: z.string(),
    userId: z.string(),
    username: z.string(),
    avatar: z.string(),
  }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, ...(await db.write(setProfile, input.wallet, input)) };
  },
});
