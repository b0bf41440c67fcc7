import { z } from 'zod';
import { GantryError } from '../../../../core/errors.ts';
import { addressInput } from '../../../../core/schemas/address.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { ownerOf } from '../../../owner.ts';
import { block } from '../commands.ts';

export const blockPlayer = defineOperation({
  name: 'blockPlayer',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary:
    'Block another player in this game: the player no longer receives their messages; they are not notified',
  auth: 'player',
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  async handler({ input: { wallet }, caller }, { db }: { db: Store }) {
    if (wallet === caller.wallet) {
      const field = { path: 'wallet', message: 'must be the wallet of another player' };
      throw new GantryError('input_invalid', `${field.path}: ${field.message}`, { fields: [field] });
    }
    await db.write(block, ownerOf(caller), wallet);
    return { success: true };
  },
});
