import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { readWebhooks } from '../queries.ts';
import { webhookRecord } from '../webhook.ts';

export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  service: 'admin',
  kind: 'read',
  summary: 'List webhooks of one game or all games, oldest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput.optional() }),
  output: z.object({ success, webhooks: z.array(webhookRecord) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    if (gameId !== undefined) await requireGame(db, gameId);
    return { success: true, webhooks: await db.read(readWebhooks, gameId) };
  },
});
