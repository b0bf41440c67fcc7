import { z } from 'zod';
import { addressInput } from '../../../../core/schemas/address.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { ownerOf } from '../../../owner.ts';
import { unblock } from '../commands.ts';

export const unblockPlayer = defineOperation({
  name: 'unblockPlayer',
  service: 'launcher',
  kind: 'write',
  summary: 'Unblock a player in this game; messages they sent meanwhile are listed again',
  auth: 'player',
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    await db.write(unblock, ownerOf(caller), input.wallet);
    return { success: true };
  },
});
