import { z } from 'zod';
import { id, timestamp } from '../../core/schemas/fields.ts';
import { isWebUrl } from '../../core/schemas/web-url.ts';
import { actionState } from '../queue/action.ts';
import type { ActionRow } from '../queue/tables.ts';
import type { WebhookRow, WebhookSecretRow } from './tables.ts';

/** Which events a webhook receives; public/docs/webhooks.md describes each. */
export const webhookFilter = z.enum([
  'all',
  'event-callbacks',
  'rules-engine-all-callbacks',
  'rules-engine-errors',
]);
export type WebhookFilter = z.infer<typeof webhookFilter>;

/** The most webhooks per game: each event is written once for each. */
export const maxWebhooks = 20;

/** How long earlier secrets may keep signing after a rotation: 30 days. */
export const maxOverlapSeconds = 30 * 24 * 3600;

/**
 * A webhook's URL: absolute, without credentials, normalized by the URL standard, so that `http://0x7f.1/` is stored as
 * `http://127.0.0.1/`. `AddressGuard` checks whether its address may be called.
 */
export const webhookUrl = z
  .string()
  .max(2_000)
  .transform((text, context) => {
    const url = URL.parse(text);
    const problem = problemOf(text, url);
    if (url && problem === null) return url.href;
    context.addIssue({ code: 'custom', message: problem ?? 'must be an http or https URL' });
    return z.NEVER;
  });

function problemOf(text: string, url: URL | null): string | null {
  if (!url || !/^https?:\/\//i.test(text) || !/^https?:$/.test(url.protocol)) {
    return 'must be a URL such as https://game.example/hooks';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (!isWebUrl(text)) return 'must not contain spaces, quotes or other characters that URLs escape';
  if (url.hash !== '') return 'must not have a fragment (#…), which is never sent';
  return null;
}

/** A webhook as administrators see it. */
export const webhookRecord = z
  .object({
    webhookId: id,
    gameId: id,
    url: z.string(),
    filter: webhookFilter,
    enabled: z.boolean(),
    disabledReason: z
      .string()
      .nullable()
      .meta({ description: 'Why the server disabled the webhook; null if it did not' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Webhook' });
export type WebhookRecord = z.infer<typeof webhookRecord>;

/** The JSON body of a delivery. */
const webhookPayload = z
  .object({
    type: z.string().meta({ description: 'Event type, such as `scores.created`' }),
    timestamp: z.string().meta({ description: 'Time of the event (ISO 8601)' }),
    data: z.json(),
  })
  .meta({ id: 'WebhookPayload' });
export type WebhookPayload = z.infer<typeof webhookPayload>;

/** A delivery as administrators see it; `failed` ones are dead letters. */
export const webhookDelivery = z
  .object({
    deliveryId: id.meta({ description: 'The `webhook-id` header, the same for every attempt' }),
    webhookId: id,
    gameId: id,
    event: z.string(),
    state: actionState,
    attempts: z.int(),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
    dueAt: timestamp.meta({ description: 'When the next attempt is due, if the delivery is queued' }),
    deadlineAt: timestamp.meta({ description: 'No attempt is made after this time' }),
    giveUpAt: timestamp.meta({ description: 'Deprecated: use `deadlineAt`', deprecated: true }), // until 1.0.0
    createdAt: timestamp,
    updatedAt: timestamp,
    payload: webhookPayload,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

/** Null for a removed webhook, whose deliveries are still being deleted. */
export function toWebhook(row: WebhookRow | undefined): WebhookRecord | null {
  return row?.removed === 0 ? toWebhookRecord(row) : null;
}

export function toWebhookRecord(row: WebhookRow): WebhookRecord {
  return {
    webhookId: row.id,
    gameId: row.gameId,
    url: row.url,
    filter: webhookFilter.parse(row.filter),
    enabled: row.enabled === 1,
    disabledReason: row.disabledReason,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function payloadOf(row: ActionRow): WebhookPayload {
  return webhookPayload.parse(JSON.parse(row.payload));
}

export function toDelivery(row: ActionRow): WebhookDelivery {
  const payload = payloadOf(row);
  return {
    deliveryId: row.id,
    webhookId: row.lane,
    gameId: row.gameId,
    event: payload.type,
    state: actionState.parse(row.state),
    attempts: row.attempts,
    error: row.error,
    dueAt: row.dueAt,
    deadlineAt: row.deadlineAt,
    giveUpAt: row.deadlineAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    payload,
  };
}

/** The secrets of a webhook that have not expired, newest first. */
export function signingSecrets(newestFirst: readonly WebhookSecretRow[], now: number): string[] {
  return newestFirst
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map(({ sealed }) => sealed);
}
