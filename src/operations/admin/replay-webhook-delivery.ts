import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { webhookDelivery } from '../../domain/webhook.ts';
import { defineOperation } from '../define.ts';

export const replayWebhookDelivery = defineOperation({
  name: 'replayWebhookDelivery',
  service: 'admin',
  kind: 'write',
  summary: 'Deliver something again, whatever became of it, under the same webhook-id',
  auth: 'admin',
  input: z.object({ deliveryId: idInput }),
  output: z.object({ success, delivery: webhookDelivery }),
  async handler({ input: { deliveryId } }, { store }) {
    return { success: true, delivery: await store.webhooks.replay(deliveryId) };
  },
});
