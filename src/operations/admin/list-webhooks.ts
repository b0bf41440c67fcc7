import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { webhookRecord } from '../../domain/webhook.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  service: 'admin',
  kind: 'read',
  summary: 'List webhooks, of one game or of all, oldest first',
  auth: 'admin',
  input: z.object({ gameId: idInput.optional() }),
  output: z.object({ success, webhooks: z.array(webhookRecord) }),
  async handler({ input: { gameId } }, { store }) {
    if (gameId !== undefined) await requireGame(store, gameId);
    return { success: true, webhooks: await store.webhooks.list(gameId) };
  },
});
