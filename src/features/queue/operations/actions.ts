import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation } from '../../operation.ts';
import { actionState, listedAction } from '../action.ts';
import { cancelQueued, requeueAction } from '../commands.ts';
import { findAction, readActions } from '../queries.ts';

export const listActions = defineAdminOperation({
  name: 'listActions',
  kind: 'read',
  summary: 'List the actions in the queue of rules and webhooks, latest first',
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
    return pageOf({ limit, skip }, await db.read(readActions, filter, { limit, skip }));
  },
});

export const getAction = defineAdminOperation({
  name: 'getAction',
  kind: 'read',
  summary: 'Read an action in the queue of rules and webhooks',
  roles: everyRole,
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { db }: { db: Store }) {
    const action = await db.read(findAction, input.actionId);
    if (!action) throw new GantryError('action_unknown', 'There is no action with this id');
    return { success: true, action };
  },
});

export const retryAction = defineAdminOperation({
  name: 'retryAction',
  kind: 'write',
  summary: 'Retry a failed, cancelled or waiting action',
  roles: operators,
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, action: await db.write(requeueAction, input.actionId) };
  },
});

export const cancelAction = defineAdminOperation({
  name: 'cancelAction',
  kind: 'write',
  summary: 'Cancel an action that has not been sent yet',
  roles: operators,
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, action: await db.write(cancelQueued, input.actionId) };
  },
});
