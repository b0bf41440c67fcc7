import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { listedAction } from '../action.ts';
import { findAction } from '../queries.ts';

export const getAction = defineOperation({
  name: 'getAction',
  service: 'admin',
  kind: 'read',
  summary: "Show one action of the rules' queue",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { db }: { db: Store }) {
    const action = await db.read(findAction, input.actionId);
    if (!action) throw new GantryError('action_unknown', 'There is no action with this id');
    return { success: true, action };
  },
});
