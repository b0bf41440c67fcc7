import { z } from 'zod';
import { idInput } from '../../core/schemas/ids.ts';
import { pagedOutput, pagingOf } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { channelMessage } from '../message-channel.ts';
import { listChannelMessages } from '../queries.ts';

export const getChannelMessages = defineOperation({
  name: 'getChannelMessages',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'getMessages' }],
  kind: 'read',
  summary: 'List the messages of a channel the player is in, newest first',
  auth: 'player-or-server',
  input: z.object({ channelId: idInput, ...pagingOf(30) }),
  output: pagedOutput(channelMessage),
  async handler({ input, caller }, { db }: { db: Database }) {
    const isServer = caller.session === null;
    const { channelId } = input;
    const { total, rows } = await db.read(listChannelMessages, ownerOf(caller), channelId, input, isServer);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
