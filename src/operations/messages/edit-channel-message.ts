import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { channelMessage, messageContent } from '../../domain/message-channel.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const editChannelMessage = defineOperation({
  name: 'editChannelMessage',
  service: 'launcher',
  kind: 'write',
  summary: 'Change what a message of the player says',
  auth: 'player',
  input: z.object({ messageId: idInput, newContent: messageContent }),
  output: channelMessage,
  handler({ input, caller }, { store }) {
    return store.messages.edit(ownerOf(caller), input.messageId, input.newContent);
  },
});
