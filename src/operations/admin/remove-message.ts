import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { messageIdentity } from '../../domain/message-channel.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const removeMessage = defineOperation({
  name: 'removeMessage',
  service: 'admin',
  kind: 'write',
  summary: 'Take back a message, whoever sent it; what it said is erased for good',
  auth: 'admin',
  input: z.object({ messageId: idInput }),
  output: z.object({ success, ...messageIdentity.shape }),
  async handler({ input }, { store }) {
    return { success: true, ...(await store.messages.remove(input.messageId)) };
  },
});
