import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { webhookFilter, webhookRecord, webhookUrl } from '../../domain/webhook.ts';
import { defineOperation } from '../define.ts';
import { refuseTarget } from './webhook-target.ts';

export const updateWebhook = defineOperation({
  name: 'updateWebhook',
  service: 'admin',
  kind: 'write',
  summary: "Change a webhook's address or filter, disable or enable it; what is left out stays",
  auth: 'admin',
  input: z.object({
    webhookId: idInput,
    url: webhookUrl.optional(),
    filter: webhookFilter.optional(),
    enabled: z.boolean().optional(),
  }),
  output: z.object({ success, webhook: webhookRecord }),
  async handler({ input: { webhookId, ...changes } }, { store, webhookSender }) {
    if (changes.url !== undefined) refuseTarget(webhookSender, changes.url);
    return { success: true, webhook: await store.webhooks.update(webhookId, changes) };
  },
});
