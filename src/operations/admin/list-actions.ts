import { z } from 'zod';
import { actionState, listedAction } from '../../domain/action.ts';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';

export const listActions = defineOperation({
  name: 'listActions',
  service: 'admin',
  kind: 'read',
  summary: "List what is and was in the rules' queue, newest first",
  auth: 'admin',
  input: z.object({
    gameId: idInput.optional(),
    wallet: addressInput.optional(),
    state: actionState.optional(),
    kind: z.enum(['chain', 'webhook']).optional(),
    ...paging,
  }),
  output: pagedOutput(listedAction),
  async handler({ input: { limit, skip, ...filter } }, { store }) {
    const { total, rows } = await store.actions.list(filter, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
