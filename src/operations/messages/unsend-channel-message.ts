import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { messageIdentity } from '../../domain/message-channel.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const unsendChannelMessage = defineOperation({
  name: 'unsendChannelMessage',
  service: 'launcher',
  kind: 'write',
  summary: 'Take back a message of the player; what it said is erased for good',
  auth: 'player',
  input: z.object({ messageId: idInput }),
  output: z.object({ success, ...messageIdentity.shape }),
  async handler({ input, caller }, { store }) {
    return { success: true, ...(await store.messages.unsend(ownerOf(caller), input.messageId)) };
  },
});
