import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { SecretBox } from '../../games/game-secret.ts';
import { defineOperation } from '../../operation.ts';
import { addWebhookSecret } from '../commands.ts';
import { newWebhookSecret } from '../webhook-secret.ts';

/** 30 days. */
const maxOverlapSeconds = 30 * 24 * 3600;

export const rotateWebhookSecret = defineOperation({
  name: 'rotateWebhookSecret',
  service: 'admin',
  kind: 'write',
  summary:
    "Rotate a webhook's secret; the new one is returned only once, and earlier ones keep signing during the overlap",
  auth: 'admin',
  roles: operators,
  input: z.object({
    webhookId: idInput,
    overlapSeconds: z
      .number()
      .min(0)
      .max(maxOverlapSeconds)
      .default(24 * 3600)
      .meta({ description: 'How long the earlier secrets keep signing deliveries' }),
  }),
  output: z.object({ success, webhookId: z.string(), secret: z.string() }),
  async handler({ input: { webhookId, overlapSeconds } }, { db, box }: { db: Store; box: SecretBox }) {
    const secret = newWebhookSecret();
    await db.write(addWebhookSecret, webhookId, box.seal(secret), Math.ceil(overlapSeconds * 1000));
    return { success: true, webhookId, secret };
  },
});
