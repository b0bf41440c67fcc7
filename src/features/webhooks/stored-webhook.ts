import { actionState } from '../queue/action.ts';
import type { ActionRow } from '../queue/tables.ts';
import type { WebhookRow, WebhookSecretRow } from './tables.ts';
import {
  type WebhookDelivery,
  type WebhookPayload,
  type WebhookRecord,
  webhookFilter,
  webhookPayload,
} from './webhook.ts';

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
