import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { SecretBox } from '../../games/game-secret.ts';
import { defineOperation } from '../../operation.ts';
import { addWebhook } from '../commands.ts';
import { webhookFilter, webhookRecord, webhookUrl } from '../webhook.ts';
import { newWebhookSecret } from '../webhook-secret.ts';
import type { WebhookSender } from '../webhook-sender.ts';
import { requireAllowedUrl } from './webhook-target.ts';

export const createWebhook = defineOperation({
  name: 'createWebhook',
  service: 'admin',
  kind: 'write',
  summary: "Create a webhook for a game's events; its secret is returned only once",
  auth: 'admin',
  roles: operators,
  input: z.object({ gameId: idInput, url: webhookUrl, filter: webhookFilter.default('all') }),
  output: z.object({
    success,
    webhook: webhookRecord,
    secret: z.string().meta({ description: 'The secret that signs deliveries, whsec_…' }),
  }),
  async handler(
    { input: { gameId, url, filter } },
    { db, box, webhookSender }: { db: Store; box: SecretBox; webhookSender: WebhookSender },
  ) {
    requireAllowedUrl(webhookSender, url);
    const secret = newWebhookSecret();
    const webhook = await db.write(addWebhook, { gameId, url, filter, sealedSecret: box.seal(secret) });
    return { success: true, webhook, secret };
  },
});
