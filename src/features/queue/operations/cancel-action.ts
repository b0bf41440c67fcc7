import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { listedAction } from '../action.ts';
import { cancelQueued } from '../commands.ts';

export const cancelAction = defineOperation({
  name: 'cancelAction',
  service: 'admin',
  kind: 'write',
  summary: 'Cancel an action that has not been sent',
  auth: 'admin',
  roles: operators,
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, action: await db.write(cancelQueued, input.actionId) };
  },
});
