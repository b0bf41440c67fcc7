import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { ban } from '../commands.ts';

export const banPlayer = defineOperation({
  name: 'banPlayer',
  service: 'admin',
  kind: 'write',
  summary: "Ban a player from a game, or from every game, and end the player's sessions there",
  auth: 'admin',
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    gameId: idInput.optional().meta({ description: 'Default: every game' }),
    reason: text(0, 500).default(''),
  }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    if (input.gameId !== undefined) await requireGame(db, input.gameId);
    await db.write(ban, input.wallet, input.gameId ?? null, input.reason);
    return { success: true };
  },
});
