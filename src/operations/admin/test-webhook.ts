import { z } from 'zod';
import { idInput, newId } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { pingType } from '../../events/webhook-events.ts';
import { defineOperation } from '../define.ts';
import { requireWebhook } from './require-webhook.ts';

export const testWebhook = defineOperation({
  name: 'testWebhook',
  service: 'admin',
  kind: 'write',
  summary: 'Send a webhook a ping, once, also when it is disabled, and say how its receiver answered',
  auth: 'admin',
  input: z.object({ webhookId: idInput }),
  output: z.object({
    success,
    delivered: z.boolean(),
    status: z.int().nullable().meta({ description: "The answer's; null: there was none" }),
    error: z.string().nullable(),
    durationMs: z.int(),
  }),
  async handler({ input: { webhookId } }, { store, box, webhookSender }) {
    const { url, gameId } = await requireWebhook(store, webhookId);
    const secrets = (await store.webhooks.sealedSecrets(webhookId)).map((sealed) => box.open(sealed));
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ type: pingType, timestamp, data: { webhookId, gameId } });
    const from = performance.now();
    const answer = await webhookSender.send({ url, id: newId(), body, secrets });
    const durationMs = Math.round(performance.now() - from);
    const { delivered, status } = answer;
    return { success: true, delivered, status, error: answer.delivered ? null : answer.error, durationMs };
  },
});
