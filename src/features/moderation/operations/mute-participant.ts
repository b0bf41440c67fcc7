import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { seenByOthers } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { muteReason, muteSeconds } from '../../messages/mutes/mute.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { muteInChannel } from '../commands.ts';

/** The muted player sees it. */
const reasonByPlayer = seenByOthers(muteReason, { as: 'text', mute: 'command' });

export const muteParticipant = defineOperation({
  name: 'muteParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Mute a participant of a channel for a time; requires the permission super-admin',
  auth: 'player',
  input: z.object({ channelId: idInput, wallet: addressInput, seconds: muteSeconds, reason: reasonByPlayer }),
  output: z.object({
    success,
    until: timestamp.nullable().meta({ description: 'Null when the mute was ended' }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { channelId, wallet } = input;
    const until = await db.write(muteInChannel, ownerOf(caller), channelId, wallet, input);
    return { success: true, until };
  },
});
