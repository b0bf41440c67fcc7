import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { unsupportedField } from '../../../core/schemas/unsupported-field.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import { ownerOf } from '../../owner.ts';
import { removeFromChannel } from '../channel-commands.ts';
import { messageChannel } from '../message-channel.ts';
import { noGroups } from '../new-participant.ts';

export const removeParticipant = defineOperation({
  name: 'removeParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Leave a channel, or remove another player from it (requires the permission super-admin)',
  auth: 'player',
  input: z.object({
    channelId: idInput,
    wallet: addressInput.optional().meta({ description: 'The player to remove; default: oneself' }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ messageChannelId }) => messageChannelId !== undefined,
    input: z.object({
      messageChannelId: idInput,
      participant: z.object({ byWallet: addressInput, byUserGroup: unsupportedField(noGroups) }),
    }),
    output: messageChannel,
    handler({ input: { messageChannelId, participant }, caller }, { db }: { db: Store }) {
      return db.write(removeFromChannel, ownerOf(caller), messageChannelId, participant.byWallet);
    },
  }),
  output: messageChannel,
  handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    return db.write(removeFromChannel, owner, input.channelId, input.wallet ?? owner.wallet);
  },
});
