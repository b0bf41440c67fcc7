import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging, shortened } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { messageChannel } from '../message-channel.ts';
import { listChannelsOfGame } from '../queries.ts';

export const listGameChannels = defineOperation({
  name: 'listGameChannels',
  service: 'admin',
  kind: 'read',
  summary: "List a game's message channels, latest activity first",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput, ...paging }),
  output: pagedOutput(messageChannel).extend({ shortened }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    const { total, rows, isShortened } = await db.read(listChannelsOfGame, input.gameId, input);
    return {
      total,
      limit: input.limit,
      skip: input.skip,
      data: rows,
      ...(isShortened && { shortened: true as const }),
    };
  },
});
