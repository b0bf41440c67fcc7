import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { actionState } from '../../queue/action.ts';
import { readDeliveries } from '../queries.ts';
import { webhookDelivery } from '../webhook.ts';

export const listWebhookDeliveries = defineOperation({
  name: 'listWebhookDeliveries',
  service: 'admin',
  kind: 'read',
  summary: 'List webhook deliveries, newest first; `failed` ones are dead letters',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    webhookId: idInput.optional(),
    gameId: idInput.optional(),
    state: actionState.optional(),
    ...paging,
  }),
  output: pagedOutput(webhookDelivery),
  async handler({ input: { limit, skip, ...filter } }, { db }: { db: Store }) {
    const { total, rows } = await db.read(readDeliveries, filter, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
