import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { messageChannel } from '../../domain/message-channel.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const listGameChannels = defineOperation({
  name: 'listGameChannels',
  service: 'admin',
  kind: 'read',
  summary: "List a game's message channels, latest activity first",
  auth: 'admin',
  input: z.object({ gameId: idInput, ...paging }),
  output: pagedOutput(messageChannel),
  async handler({ input }, { store }) {
    await requireGame(store, input.gameId);
    const { total, rows } = await store.messageChannels.listOfGame(input.gameId, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
