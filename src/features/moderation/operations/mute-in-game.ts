import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { muteReason, muteSeconds } from '../../messages/mutes/mute.ts';
import { defineOperation } from '../../operation.ts';
import { mute } from '../commands.ts';

export const muteInGame = defineOperation({
  name: 'muteInGame',
  service: 'launcher',
  kind: 'write',
  summary: "Mute a player in the game, or in one of its channels, for a time; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    channelId: idInput.optional().meta({ description: 'Default: the whole game' }),
    seconds: muteSeconds,
    reason: muteReason,
  }),
  output: z.object({
    success,
    until: timestamp.nullable().meta({ description: 'Null when the mute was ended' }),
  }),
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    const player = { gameId: game.id, wallet: input.wallet };
    return { success: true, until: await db.write(mute, player, input.channelId ?? null, 'server', input) };
  },
});
