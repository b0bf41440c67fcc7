import { z } from 'zod';
import { actionState } from '../../domain/action.ts';
import { idInput } from '../../domain/ids.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { webhookDelivery } from '../../domain/webhook.ts';
import { defineOperation } from '../define.ts';

export const listWebhookDeliveries = defineOperation({
  name: 'listWebhookDeliveries',
  service: 'admin',
  kind: 'read',
  summary: 'List what webhooks were and are to be told, newest first; `failed` ones are the dead letters',
  auth: 'admin',
  input: z.object({
    webhookId: idInput.optional(),
    gameId: idInput.optional(),
    state: actionState.optional(),
    ...paging,
  }),
  output: pagedOutput(webhookDelivery),
  async handler({ input: { limit, skip, ...filter } }, { store }) {
    const { total, rows } = await store.webhooks.deliveries(filter, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
