import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { channelMessage } from '../../domain/message-channel.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const getChannelMessages = defineOperation({
  name: 'getChannelMessages',
  service: 'launcher',
  kind: 'read',
  summary: 'List the messages of a channel the player is in, newest first',
  auth: 'player',
  input: z.object({ channelId: idInput, ...paging }),
  output: pagedOutput(channelMessage),
  async handler({ input, caller }, { store }) {
    const { total, rows } = await store.messages.list(ownerOf(caller), input.channelId, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
