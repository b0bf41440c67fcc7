import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { cursorFieldsOf, cursorOutput, cursorPageOf } from '../../../core/schemas/list-cursor.ts';
import { pagedOutput, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { pageCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { listMessagesFrom, messageCursor } from '../cursor-queries.ts';
import { channelMessage } from '../message-channel.ts';
import { listChannelMessages } from '../queries.ts';

export const getChannelMessages = defineOperation({
  name: 'getChannelMessages',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'getMessages' }],
  kind: 'read',
  summary: 'List the messages of a channel the player is in, newest first',
  auth: 'player-or-server',
  input: z.object({ channelId: idInput, ...pagingOf(30), ...cursorFieldsOf(messageCursor) }),
  cost: pageCost(30),
  output: pagedOutput(channelMessage).extend({
    ...cursorOutput,
    originals: z.exactOptional(z.array(channelMessage)).meta({
      description:
        'Messages that replies in `data` refer to and that are not in `data` themselves; one in neither was unsent, or sent while the player was away',
    }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    const isServer = caller.session === null;
    const byCursor = cursorPageOf(input);
    const page = byCursor
      ? await db.read(listMessagesFrom, owner, input.channelId, byCursor, isServer)
      : await db.read(listChannelMessages, owner, input.channelId, input, isServer);
    return {
      total: page.total,
      limit: input.limit,
      skip: input.skip,
      data: page.rows,
      ...(page.originals && { originals: page.originals }),
      ...page.end,
    };
  },
});
