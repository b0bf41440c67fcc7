import { createHash } from 'node:crypto';
import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defineOperation } from '../../operation.ts';
import type { PlayerEraser } from '../player-eraser.ts';

export const erasePlayer = defineOperation({
  name: 'erasePlayer',
  service: 'admin',
  kind: 'write',
  summary: "Permanently erase all of a player's data in every game",
  auth: 'admin',
  roles: operators,
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  // The log must not store erased data; the hash lets anyone who knows the wallet find the entry.
  auditInput: ({ wallet }) => ({ walletSha256: createHash('sha256').update(wallet).digest('hex') }),
  async handler({ input }, { eraser }: { eraser: PlayerEraser }) {
    await eraser.erase(input.wallet);
    return { success: true };
  },
});
