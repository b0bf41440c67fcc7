import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { deleteWebhook } from '../commands.ts';

export const removeWebhook = defineOperation({
  name: 'removeWebhook',
  service: 'admin',
  kind: 'write',
  summary: 'Remove a webhook and its deliveries, including pending ones',
  auth: 'admin',
  roles: operators,
  input: z.object({ webhookId: idInput }),
  output: z.object({ success }),
  async handler({ input: { webhookId } }, { db }: { db: Store }) {
    await db.write(deleteWebhook, webhookId);
    return { success: true };
  },
});
