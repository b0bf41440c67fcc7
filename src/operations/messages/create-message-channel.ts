import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { withReason } from '../../domain/field-reason.ts';
import { maximumParticipants, messageChannel } from '../../domain/message-channel.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

const maximumOthers = maximumParticipants - 1;

const otherParticipants = withReason(
  z
    .array(addressInput)
    .min(1, 'must name at least one other participant')
    .max(maximumOthers, `must name at most ${maximumOthers} other participants`)
    .refine((wallets) => new Set(wallets).size === wallets.length, 'names a wallet twice'),
  'participants_invalid',
);

export const createMessageChannel = defineOperation({
  name: 'createMessageChannel',
  service: 'launcher',
  kind: 'write',
  summary: 'Start a message channel with other players; the same participants get the same channel',
  auth: 'player',
  input: z.object({ otherParticipants }),
  output: messageChannel,
  async handler({ input, caller }, { store }) {
    if (input.otherParticipants.includes(caller.session.wallet)) {
      const field = { path: 'otherParticipants', message: 'must not name yourself' };
      throw new GantryError('participants_invalid', `${field.path}: ${field.message}`, { fields: [field] });
    }
    return store.messageChannels.create(ownerOf(caller), input.otherParticipants);
  },
});
