import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { channelMessage, messageContent } from '../../domain/message-channel.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const sendChannelMessage = defineOperation({
  name: 'sendChannelMessage',
  service: 'launcher',
  kind: 'write',
  summary: 'Send a message to a channel the player is in',
  auth: 'player',
  input: z.object({ channelId: idInput, content: messageContent }),
  output: channelMessage,
  handler({ input, caller }, { store }) {
    return store.messages.send(ownerOf(caller), input.channelId, input.content);
  },
});
