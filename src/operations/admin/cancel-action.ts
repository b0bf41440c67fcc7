import { z } from 'zod';
import { listedAction } from '../../domain/action.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const cancelAction = defineOperation({
  name: 'cancelAction',
  service: 'admin',
  kind: 'write',
  summary: 'Cancel an action that has not been sent',
  auth: 'admin',
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { store }) {
    return { success: true, action: await store.actions.cancel(input.actionId) };
  },
});
