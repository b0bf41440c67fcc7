import { GantryError } from '../../../core/errors.ts';
import type { WebhookSender } from '../webhook-sender.ts';

/** @throws GantryError `webhook_url_refused` for a URL that nothing would ever be sent to */
export function requireAllowedUrl(sender: WebhookSender, url: string): void {
  const refusal = sender.refusalOf(url);
  if (refusal === null) return;
  throw new GantryError(
    'webhook_url_refused',
    `url: ${refusal}; webhooks are delivered to public addresses only (WEBHOOK_ALLOW_LOOPBACK=on also allows loopback addresses, for development)`,
  );
}
