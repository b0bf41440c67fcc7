import type { WebhookRecord } from '../../domain/webhook.ts';
import { GantryError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';

/** @throws GantryError `webhook_unknown` */
export async function requireWebhook(store: Store, webhookId: string): Promise<WebhookRecord> {
  const webhook = await store.webhooks.find(webhookId);
  if (!webhook) throw new GantryError('webhook_unknown', 'There is no webhook with this id');
  return webhook;
}
