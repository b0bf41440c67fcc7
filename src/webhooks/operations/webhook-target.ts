import { GantryError } from '../../errors.ts';
import type { WebhookSender } from '../webhook-sender.ts';

/** @throws GantryError `webhook_url_refused` for an address that nothing would ever be sent to */
export function refuseTarget(sender: WebhookSender, url: string): void {
  const refusal = sender.refusalOf(url);
  if (refusal === null) return;
  throw new GantryError(
    'webhook_url_refused',
    `url: ${refusal}; webhooks are delivered to public addresses only (WEBHOOK_ALLOW_LOOPBACK=on lets this machine's own through, for development)`,
  );
}
