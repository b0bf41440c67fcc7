import type { ActionState } from '../queue/action.ts';
import type { WebhookFilter, WebhookPayload } from './webhook.ts';

export interface NewWebhook {
  gameId: string;
  url: string;
  filter: WebhookFilter;
  /** Encrypted; the secret itself is never stored. */
  sealedSecret: string;
}

export interface WebhookChanges {
  url?: string | undefined;
  filter?: WebhookFilter | undefined;
  /** Enabling forgets why it was disabled. */
  enabled?: boolean | undefined;
}

export interface DeliveryFilter {
  webhookId?: string | undefined;
  gameId?: string | undefined;
  state?: ActionState | undefined;
}

/** How many deliveries a process can take. */
export interface ClaimTerms {
  /** In all. */
  room: number;
  /** To one host, of which none is under way. */
  perHost: number;
  /** To hosts to which some are under way, so many more. */
  busyHosts: Readonly<Record<string, number>>;
  leaseMs: number;
}

/** A delivery with all that is needed to make it. */
export interface ClaimedDelivery {
  deliveryId: string;
  webhookId: string;
  url: string;
  /** The URL's, with the port when it is not the scheme's own. */
  host: string;
  /** Encrypted, newest first; all of them sign. */
  sealedSecrets: string[];
  /** This one included. */
  attempts: number;
  payload: WebhookPayload;
}

export type DeliveryOutcome =
  | { delivered: true }
  /** `gone`: the receiver wants no more, ever. */
  | { delivered: false; error: string; dueAt: number; gone: boolean };

/** What became of a delivery that was tried. */
export type DeliveryEnd = 'confirmed' | 'failed' | 'retried';
