import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const removeWebhook = defineOperation({
  name: 'removeWebhook',
  service: 'admin',
  kind: 'write',
  summary: 'Remove a webhook with its deliveries, also those it still had to get',
  auth: 'admin',
  input: z.object({ webhookId: idInput }),
  output: z.object({ success }),
  async handler({ input: { webhookId } }, { store }) {
    await store.webhooks.remove(webhookId);
    return { success: true };
  },
});
