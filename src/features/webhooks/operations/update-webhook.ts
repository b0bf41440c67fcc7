import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { changeWebhook } from '../commands.ts';
import { webhookFilter, webhookRecord, webhookUrl } from '../webhook.ts';
import type { WebhookSender } from '../webhook-sender.ts';
import { requireAllowedUrl } from './webhook-target.ts';

export const updateWebhook = defineOperation({
  name: 'updateWebhook',
  service: 'admin',
  kind: 'write',
  summary: "Change a webhook's URL or filter, disable or enable it; omitted fields stay",
  auth: 'admin',
  roles: operators,
  input: z.object({
    webhookId: idInput,
    url: webhookUrl.optional(),
    filter: webhookFilter.optional(),
    enabled: z.boolean().optional(),
  }),
  output: z.object({ success, webhook: webhookRecord }),
  async handler(
    { input: { webhookId, ...changes } },
    { db, webhookSender }: { db: Store; webhookSender: WebhookSender },
  ) {
    if (changes.url !== undefined) requireAllowedUrl(webhookSender, changes.url);
    return { success: true, webhook: await db.write(changeWebhook, webhookId, changes) };
  },
});
