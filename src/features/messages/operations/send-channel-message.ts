import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { channelMessage, messageContent } from '../message-channel.ts';
import { sendMessage } from '../message-commands.ts';

export const sendChannelMessage = defineOperation({
  name: 'sendChannelMessage',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'sendMessage' }],
  unsupportedField: { parentId: 'a reply names the message as replyTo; send it without parentId' },
  kind: 'write',
  summary: 'Send a message to a channel the player is in',
  auth: 'player',
  input: z.object({
    channelId: idInput,
    content: messageContent,
    replyTo: idInput.optional().meta({ description: 'The message of this channel that it replies to' }),
  }),
  output: channelMessage,
  handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    const { channelId, content, replyTo } = input;
    return db.write(sendMessage, ownerOf(caller), channelId, content, storageQuota, replyTo);
  },
});
