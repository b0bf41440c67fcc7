import { GantryError } from '../../../core/errors.ts';
import type { Store } from '../../../core/storage/store.ts';
import { findWebhook } from '../queries.ts';
import type { WebhookRecord } from '../webhook.ts';

/** @throws GantryError `webhook_unknown` */
export async function requireWebhook(db: Store, webhookId: string): Promise<WebhookRecord> {
  const webhook = await db.read(findWebhook, webhookId);
  if (!webhook) throw new GantryError('webhook_unknown', 'There is no webhook with this id');
  return webhook;
}
