import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { unban } from '../commands.ts';

export const unbanPlayer = defineOperation({
  name: 'unbanPlayer',
  service: 'admin',
  kind: 'write',
  summary: 'Unban a player',
  auth: 'admin',
  roles: moderators,
  input: z.object({ wallet: addressInput, gameId: idInput.optional() }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(unban, input.wallet, input.gameId ?? null);
    return { success: true };
  },
});
