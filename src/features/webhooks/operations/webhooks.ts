import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import { newId } from '../../../core/schemas/ids.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { SecretBox } from '../../games/game-secret.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { actionState } from '../../queue/action.ts';
import { addWebhook, addWebhookSecret, changeWebhook, deleteWebhook, replayDelivery } from '../commands.ts';
import { findWebhook, readDeliveries, readSealedSecrets, readWebhooks } from '../queries.ts';
import {
  maxOverlapSeconds,
  type WebhookRecord,
  webhookDelivery,
  webhookFilter,
  webhookRecord,
  webhookUrl,
} from '../webhook.ts';
import { pingType } from '../webhook-events.ts';
import { newWebhookSecret } from '../webhook-secret.ts';
import type { WebhookSender } from '../webhook-sender.ts';

export const createWebhook = defineAdminOperation({
  name: 'createWebhook',
  kind: 'write',
  summary: "Create a webhook for a game's events; returns its secret (shown once)",
  roles: operators,
  input: z.object({ gameId: idInput, url: webhookUrl, filter: webhookFilter.default('all') }),
  output: z.object({
    success,
    webhook: webhookRecord,
    secret: z.string().meta({ description: 'The secret that signs deliveries, whsec_…' }),
  }),
  async handler(
    { input: { gameId, url, filter } },
    { db, box, webhookSender }: { db: Store; box: SecretBox; webhookSender: WebhookSender },
  ) {
    await requireAllowedUrl(webhookSender, url);
    const secret = newWebhookSecret();
    const webhook = await db.write(addWebhook, { gameId, url, filter, sealedSecret: box.seal(secret) });
    return { success: true, webhook, secret };
  },
});

export const listWebhooks = defineAdminOperation({
  name: 'listWebhooks',
  kind: 'read',
  summary: 'List the webhooks of one game or of all games, oldest first',
  roles: everyRole,
  input: z.object({ gameId: idInput.optional() }),
  output: z.object({ success, webhooks: z.array(webhookRecord) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    if (gameId !== undefined) await requireGame(db, gameId);
    return { success: true, webhooks: await db.read(readWebhooks, gameId) };
  },
});

export const updateWebhook = defineAdminOperation({
  name: 'updateWebhook',
  kind: 'write',
  summary: "Update a webhook's URL or filter, or enable or disable it; omitted fields keep their values",
  roles: operators,
  input: z.object({
    webhookId: idInput,
    url: webhookUrl.optional(),
    filter: webhookFilter.optional(),
    enabled: z.boolean().optional(),
  }),
  output: z.object({ success, webhook: webhookRecord }),
  async handler(
    { input: { webhookId, ...changes } },
    { db, webhookSender }: { db: Store; webhookSender: WebhookSender },
  ) {
    if (changes.url !== undefined) await requireAllowedUrl(webhookSender, changes.url);
    return { success: true, webhook: await db.write(changeWebhook, webhookId, changes) };
  },
});

export const removeWebhook = defineAdminOperation({
  name: 'removeWebhook',
  kind: 'write',
  summary: 'Remove a webhook and its deliveries, including pending ones',
  roles: operators,
  input: z.object({ webhookId: idInput }),
  output: z.object({ success }),
  async handler({ input: { webhookId } }, { db }: { db: Store }) {
    await db.write(deleteWebhook, webhookId);
    return { success: true };
  },
});

export const rotateWebhookSecret = defineAdminOperation({
  name: 'rotateWebhookSecret',
  kind: 'write',
  summary:
    "Rotate a webhook's secret; returns the new one (shown once), and earlier secrets stay valid for the overlap period",
  roles: operators,
  input: z.object({
    webhookId: idInput,
    overlapSeconds: z
      .number()
      .min(0)
      .max(maxOverlapSeconds)
      .default(24 * 3600)
      .meta({ description: 'How long earlier secrets keep signing deliveries, in seconds' }),
  }),
  output: z.object({ success, webhookId: z.string(), secret: z.string() }),
  async handler({ input: { webhookId, overlapSeconds } }, { db, box }: { db: Store; box: SecretBox }) {
    const secret = newWebhookSecret();
    await db.write(addWebhookSecret, webhookId, box.seal(secret), Math.ceil(overlapSeconds * 1000));
    return { success: true, webhookId, secret };
  },
});

export const testWebhook = defineAdminOperation({
  name: 'testWebhook',
  kind: 'write',
  summary: "Send a ping to a webhook, even a disabled one, and return the response's status",
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

export const listWebhookDeliveries = defineAdminOperation({
  name: 'listWebhookDeliveries',
  kind: 'read',
  summary: 'List webhook deliveries, latest first; `failed` deliveries are dead letters',
  roles: everyRole,
  input: z.object({
    webhookId: idInput.optional(),
    gameId: idInput.optional(),
    state: actionState.optional(),
    ...paging,
  }),
  output: pagedOutput(webhookDelivery),
  async handler({ input: { limit, skip, ...filter } }, { db }: { db: Store }) {
    return pageOf({ limit, skip }, await db.read(readDeliveries, filter, { limit, skip }));
  },
});

export const replayWebhookDelivery = defineAdminOperation({
  name: 'replayWebhookDelivery',
  kind: 'write',
  summary: 'Replay a webhook delivery in any state, with the same `webhook-id`',
  roles: operators,
  input: z.object({ deliveryId: idInput }),
  output: z.object({ success, delivery: webhookDelivery }),
  async handler({ input: { deliveryId } }, { db }: { db: Store }) {
    return { success: true, delivery: await db.write(replayDelivery, deliveryId) };
  },
});

/** @throws GantryError `webhook_unknown` */
async function requireWebhook(db: Store, webhookId: string): Promise<WebhookRecord> {
  const webhook = await db.read(findWebhook, webhookId);
  if (!webhook) throw new GantryError('webhook_unknown', 'There is no webhook with this id');
  return webhook;
}

/** @throws GantryError `webhook_url_refused` for a URL that nothing would be sent to */
async function requireAllowedUrl(sender: WebhookSender, url: string): Promise<void> {
  const refusal = await sender.refusalOf(url);
  if (refusal === null) return;
  throw new GantryError(
    'webhook_url_refused',
    `url: ${refusal}; webhooks are delivered to public addresses, to the networks and hosts that the setting ` +
      "WEBHOOK_ALLOW lists, and with WEBHOOK_ALLOW_LOOPBACK=on to the server's own machine",
  );
}
