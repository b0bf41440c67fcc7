import { z } from 'zod';
import { listedAction } from '../../domain/action.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../define.ts';

export const getAction = defineOperation({
  name: 'getAction',
  service: 'admin',
  kind: 'read',
  summary: "Show one action of the rules' queue",
  auth: 'admin',
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { store }) {
    const action = await store.actions.find(input.actionId);
    if (!action) throw new GantryError('action_unknown', 'There is no action with this id');
    return { success: true, action };
  },
});
