import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { replayDelivery } from '../commands.ts';
import { webhookDelivery } from '../webhook.ts';

export const replayWebhookDelivery = defineOperation({
  name: 'replayWebhookDelivery',
  service: 'admin',
  kind: 'write',
  summary: 'Replay a delivery, whatever its state, with the same webhook-id',
  auth: 'admin',
  roles: operators,
  input: z.object({ deliveryId: idInput }),
  output: z.object({ success, delivery: webhookDelivery }),
  async handler({ input: { deliveryId } }, { db }: { db: Store }) {
    return { success: true, delivery: await db.write(replayDelivery, deliveryId) };
  },
});
