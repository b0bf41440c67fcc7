import { z } from 'zod';
import { pagedOutput, pagingOf, shortened } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { messageChannel } from '../message-channel.ts';
import { listChannels } from '../queries.ts';

export const getMessageChannels = defineOperation({
  name: 'getMessageChannels',
  service: 'launcher',
  alsoOn: [{ service: 'message-channels', name: 'getUserChannels' }],
  kind: 'read',
  summary: "List the player's message channels in this game, latest activity first",
  auth: 'player-or-server',
  input: z.object(pagingOf(20)),
  output: pagedOutput(messageChannel).extend({ shortened }),
  async handler({ input, caller }, { db }: { db: Database }) {
    const { total, rows, isShortened } = await db.read(listChannels, ownerOf(caller), input);
    return {
      total,
      limit: input.limit,
      skip: input.skip,
      data: rows,
      ...(isShortened && { shortened: true as const }),
    };
  },
});
