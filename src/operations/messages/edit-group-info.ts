import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { messageChannel } from '../../domain/message-channel.ts';
import { text } from '../../domain/text.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const editGroupInfo = defineOperation({
  name: 'editGroupInfo',
  service: 'message-channels',
  kind: 'write',
  summary: "Change a channel's name or picture; takes the permission edit-info",
  auth: 'player',
  input: z.object({
    channelId: idInput,
    name: text(0, 100).optional(),
    chatPicture: text(0, 2000).optional().meta({ description: "The picture's address; empty for none" }),
  }),
  output: messageChannel,
  handler({ input, caller }, { store }) {
    return store.messageChannels.editInfo(ownerOf(caller), input.channelId, input);
  },
});
