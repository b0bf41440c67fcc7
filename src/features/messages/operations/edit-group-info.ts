import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import { ownerOf } from '../../owner.ts';
import { editChannelInfo } from '../channel-commands.ts';
import { channelName, chatPicture, messageChannel } from '../message-channel.ts';

export const editGroupInfo = defineOperation({
  name: 'editGroupInfo',
  service: 'message-channels',
  kind: 'write',
  summary: "Change a channel's name or picture; requires the permission edit-info",
  auth: 'player',
  input: z.object({
    channelId: idInput,
    name: channelName.optional(),
    chatPicture: chatPicture.optional().meta({ description: "The picture's URL; empty for none" }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ messageChannelId }) => messageChannelId !== undefined,
    input: z.object({
      messageChannelId: idInput,
      newTitle: channelName.nullish(),
      newImage: chatPicture.nullish(),
    }),
    output: messageChannel,
    handler({ input, caller }, { db }: { db: Store }) {
      const info = { name: input.newTitle ?? undefined, chatPicture: input.newImage ?? undefined };
      return db.write(editChannelInfo, ownerOf(caller), input.messageChannelId, info);
    },
  }),
  output: messageChannel,
  handler({ input, caller }, { db }: { db: Store }) {
    return db.write(editChannelInfo, ownerOf(caller), input.channelId, input);
  },
});
