import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { messageIdentity } from '../message-channel.ts';
import { unsendMessage } from '../message-commands.ts';

export const unsendChannelMessage = defineOperation({
  name: 'unsendChannelMessage',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'unsendMessage' }],
  kind: 'write',
  summary: "Unsend one of the player's messages; its content is erased permanently",
  auth: 'player',
  input: z.object({ messageId: idInput }),
  output: z.object({
    success,
    ...messageIdentity.shape,
    content: z
      .literal('')
      .meta({ description: 'Always empty; present for clients that parse the response as a message' }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const unsent = await db.write(unsendMessage, ownerOf(caller), input.messageId);
    return { success: true, ...unsent, content: '' as const };
  },
});
