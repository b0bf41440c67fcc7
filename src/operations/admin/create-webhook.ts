import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { webhookFilter, webhookRecord, webhookUrl } from '../../domain/webhook.ts';
import { newWebhookSecret } from '../../webhooks/webhook-secret.ts';
import { defineOperation } from '../define.ts';
import { refuseTarget } from './webhook-target.ts';

export const createWebhook = defineOperation({
  name: 'createWebhook',
  service: 'admin',
  kind: 'write',
  summary: 'Have what happens in a game told to an address; its secret is answered this once',
  auth: 'admin',
  input: z.object({ gameId: idInput, url: webhookUrl, filter: webhookFilter.default('all') }),
  output: z.object({
    success,
    webhook: webhookRecord,
    secret: z.string().meta({ description: 'What deliveries are signed with, whsec_…' }),
  }),
  async handler({ input: { gameId, url, filter } }, { store, box, webhookSender }) {
    refuseTarget(webhookSender, url);
    const secret = newWebhookSecret();
    const webhook = await store.webhooks.create({ gameId, url, filter, sealedSecret: box.seal(secret) });
    return { success: true, webhook, secret };
  },
});
