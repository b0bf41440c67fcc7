import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { playerMute, readMutes } from '../queries.ts';

export const listMutes = defineOperation({
  name: 'listMutes',
  service: 'admin',
  kind: 'read',
  summary: 'List the mutes in effect: who, where, until when and by whom, the last to end first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ ...paging, gameId: idInput.optional(), wallet: addressInput.optional() }),
  output: pagedOutput(playerMute),
  async handler({ input }, { db }: { db: Store }) {
    const { total, rows } = await db.read(readMutes, input, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
