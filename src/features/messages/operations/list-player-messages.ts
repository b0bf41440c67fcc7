import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { id, idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { channelMessage } from '../message-channel.ts';
import { listMessagesOfPlayer } from '../queries.ts';

export const listPlayerMessages = defineOperation({
  name: 'listPlayerMessages',
  service: 'admin',
  kind: 'read',
  summary: 'List the messages a player has sent, in one game or in all, newest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ wallet: addressInput, gameId: idInput.optional(), ...paging }),
  output: pagedOutput(channelMessage.extend({ gameId: id }).meta({ id: 'PlayerMessage' })),
  async handler({ input }, { db }: { db: Store }) {
    const { total, rows } = await db.read(listMessagesOfPlayer, input, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
