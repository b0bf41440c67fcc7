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
  /** Enabling clears `disabledReason`. */
  enabled?: boolean | undefined;
}

export interface DeliveryFilter {
  webhookId?: string | undefined;
  gameId?: string | undefined;
  state?: ActionState | undefined;
}

/** How many deliveries a process can claim. */
export interface ClaimTerms {
  /** In total. */
  room: number;
  /** To a host without deliveries in flight. */
  perHost: number;
  /** To hosts with deliveries in flight or failing: how many more. */
  busyHosts: Readonly<Record<string, number>>;
  leaseMs: number;
}

/** A claimed delivery with everything needed to send it. */
export interface ClaimedDelivery {
  deliveryId: string;
  webhookId: string;
  url: string;
  /** The URL's host, with the port if it is not the scheme's default. */
  host: string;
  /** Encrypted, newest first; all of them sign. */
  sealedSecrets: string[];
  /** This one included. */
  attempts: number;
  payload: WebhookPayload;
}

export type DeliveryOutcome =
  | { delivered: true }
  /** `gone`: the receiver wants no further deliveries (410). */
  | { delivered: false; error: string; dueAt: number; gone: boolean };

/** The outcome of an attempted delivery. */
export type DeliveryEnd = 'confirmed' | 'failed' | 'retried';
