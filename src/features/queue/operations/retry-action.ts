import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { listedAction } from '../action.ts';
import { requeueAction } from '../commands.ts';

export const retryAction = defineOperation({
  name: 'retryAction',
  service: 'admin',
  kind: 'write',
  summary: 'Retry a failed, cancelled or waiting action',
  auth: 'admin',
  roles: operators,
  input: z.object({ actionId: idInput }),
  output: z.object({ success, action: listedAction }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, action: await db.write(requeueAction, input.actionId) };
  },
});
