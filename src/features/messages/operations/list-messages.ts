import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { channelMessage } from '../message-channel.ts';
import { listMessagesForModeration } from '../queries.ts';

export const listMessages = defineOperation({
  name: 'listMessages',
  service: 'admin',
  kind: 'read',
  summary: 'List the messages of any channel, newest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ channelId: idInput, ...paging }),
  output: pagedOutput(channelMessage),
  async handler({ input }, { db }: { db: Store }) {
    const { total, rows } = await db.read(listMessagesForModeration, input.channelId, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
