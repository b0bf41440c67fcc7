import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { messageChannel } from '../../domain/message-channel.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const addParticipant = defineOperation({
  name: 'addParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Add a player to a channel; takes the permission add-members',
  auth: 'player',
  input: z.object({ channelId: idInput, wallet: addressInput }),
  output: messageChannel,
  handler({ input, caller }, { store }) {
    return store.messageChannels.addParticipant(ownerOf(caller), input.channelId, input.wallet);
  },
});
