import { z } from 'zod';
import { messageChannel } from '../../domain/message-channel.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const getMessageChannels = defineOperation({
  name: 'getMessageChannels',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's message channels in this game, latest activity first",
  auth: 'player',
  input: z.object(paging),
  output: pagedOutput(messageChannel),
  async handler({ input, caller }, { store }) {
    const { total, rows } = await store.messageChannels.list(ownerOf(caller), input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
