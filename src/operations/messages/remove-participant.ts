import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { messageChannel } from '../../domain/message-channel.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const removeParticipant = defineOperation({
  name: 'removeParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Leave a channel, or remove another player from it (takes the permission super-admin)',
  auth: 'player',
  input: z.object({
    channelId: idInput,
    wallet: addressInput.optional().meta({ description: 'Who is removed; left out: oneself' }),
  }),
  output: messageChannel,
  handler({ input, caller }, { store }) {
    const owner = ownerOf(caller);
    return store.messageChannels.removeParticipant(owner, input.channelId, input.wallet ?? owner.wallet);
  },
});
