import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { actionState, listedAction } from '../action.ts';
import { readActions } from '../queries.ts';

export const listActions = defineOperation({
  name: 'listActions',
  service: 'admin',
  kind: 'read',
  summary: "List the actions of the rules' queue, newest first",
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    gameId: idInput.optional(),
    wallet: addressInput.optional(),
    state: actionState.optional(),
    kind: z.enum(['chain', 'webhook']).optional(),
    ...paging,
  }),
  output: pagedOutput(listedAction),
  async handler({ input: { limit, skip, ...filter } }, { db }: { db: Store }) {
    const { total, rows } = await db.read(readActions, filter, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
