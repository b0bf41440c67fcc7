import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import { ownerOf } from '../../owner.ts';
import { addToChannel } from '../channel-commands.ts';
import { messageChannel } from '../message-channel.ts';
import { newParticipant } from '../new-participant.ts';

export const addParticipant = defineOperation({
  name: 'addParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Add a player to a channel; requires the permission add-members',
  auth: 'player',
  input: z.object({ channelId: idInput, wallet: addressInput }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ messageChannelId }) => messageChannelId !== undefined,
    input: z.object({ messageChannelId: idInput, participant: newParticipant }),
    output: messageChannel,
    async handler({ input: { messageChannelId, participant }, caller }, { db }: { db: Store }) {
      const owner = ownerOf(caller);
      const { wallet, permissions } = participant;
      return db.write(addToChannel, owner, messageChannelId, wallet, permissions);
    },
  }),
  output: messageChannel,
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    return db.write(addToChannel, owner, input.channelId, input.wallet);
  },
});
