import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { muteReason, muteSeconds } from '../../messages/mutes/mute.ts';
import { defineOperation } from '../../operation.ts';
import { mute } from '../commands.ts';

export const mutePlayer = defineOperation({
  name: 'mutePlayer',
  service: 'admin',
  kind: 'write',
  summary: 'Mute a player in a game, or in one of its channels, for a time; 0 seconds ends it',
  auth: 'admin',
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    gameId: idInput,
    channelId: idInput.optional().meta({ description: 'Default: the whole game' }),
    seconds: muteSeconds,
    reason: muteReason,
  }),
  output: z.object({
    success,
    until: timestamp.nullable().meta({ description: 'Null when the mute was ended' }),
  }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    return { success: true, until: await db.write(mute, input, input.channelId ?? null, 'moderator', input) };
  },
});
