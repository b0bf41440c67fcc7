import { randomBytes } from 'node:crypto';

/** A new webhook secret in Standard Webhooks' form: `whsec_` and 256 random bits in base64. Shown once. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
