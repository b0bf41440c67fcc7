import { z } from 'zod';
import { listedAction } from '../../domain/action.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const retryAction = defineOperation({
  name: 'retryAction',
  service: 'admin',
  kind: 'write',
  summary: 'Try an action again that has failed, was cancelled or waits',
  auth: 'admin',
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { store }) {
    return { success: true, action: await store.actions.requeue(input.actionId) };
  },
});
