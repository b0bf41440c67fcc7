import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { channelMessage } from '../../domain/message-channel.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';

export const listMessages = defineOperation({
  name: 'listMessages',
  service: 'admin',
  kind: 'read',
  summary: 'List the messages of any channel, newest first',
  auth: 'admin',
  input: z.object({ channelId: idInput, ...paging }),
  output: pagedOutput(channelMessage),
  async handler({ input }, { store }) {
    const { total, rows } = await store.messages.listForModeration(input.channelId, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
