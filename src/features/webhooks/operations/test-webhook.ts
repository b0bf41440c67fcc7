import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput, newId } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { SecretBox } from '../../games/game-secret.ts';
import { defineOperation } from '../../operation.ts';
import { readSealedSecrets } from '../queries.ts';
import { pingType } from '../webhook-events.ts';
import type { WebhookSender } from '../webhook-sender.ts';
import { requireWebhook } from './require-webhook.ts';

export const testWebhook = defineOperation({
  name: 'testWebhook',
  service: 'admin',
  kind: 'write',
  summary: 'Send one ping to a webhook, even if it is disabled, and return how its receiver responded',
  auth: 'admin',
  roles: operators,
  input: z.object({ webhookId: idInput }),
  output: z.object({
    success,
    delivered: z.boolean(),
    status: z.int().nullable().meta({ description: "The response's status; null: no response" }),
    error: z.string().nullable(),
    durationMs: z.int(),
  }),
  async handler(
    { input: { webhookId } },
    { db, box, webhookSender }: { db: Store; box: SecretBox; webhookSender: WebhookSender },
  ) {
    const { url, gameId } = await requireWebhook(db, webhookId);
    const secrets = (await db.read(readSealedSecrets, webhookId)).map((sealed) => box.open(sealed));
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ type: pingType, timestamp, data: { webhookId, gameId } });
    const from = performance.now();
    const answer = await webhookSender.send({ url, id: newId(), body, secrets });
    const durationMs = Math.round(performance.now() - from);
    const { delivered, status } = answer;
    return { success: true, delivered, status, error: answer.delivered ? null : answer.error, durationMs };
  },
});
