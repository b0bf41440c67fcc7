import { z } from 'zod';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { messageIdentity } from '../message-channel.ts';
import { deleteMessage } from '../message-commands.ts';

export const removeMessage = defineOperation({
  name: 'removeMessage',
  service: 'admin',
  kind: 'write',
  summary: "Remove any player's message; its content is erased permanently",
  auth: 'admin',
  roles: moderators,
  input: z.object({ messageId: idInput }),
  output: z.object({ success, ...messageIdentity.shape }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, ...(await db.write(deleteMessage, input.messageId)) };
  },
});
