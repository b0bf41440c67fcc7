import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { channelMessage, messageContent } from '../message-channel.ts';
import { editMessage } from '../message-commands.ts';

export const editChannelMessage = defineOperation({
  name: 'editChannelMessage',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'editMessage' }],
  kind: 'write',
  summary: "Edit one of the player's messages",
  auth: 'player',
  input: z.object({ messageId: idInput, newContent: messageContent }),
  output: channelMessage,
  handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    return db.write(editMessage, ownerOf(caller), input.messageId, input.newContent, storageQuota);
  },
});
