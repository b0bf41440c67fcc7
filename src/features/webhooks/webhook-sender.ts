/** A message to send. */
export interface WebhookMessage {
  url: string;
  /** The same for every attempt to send the same message. */
  id: string;
  /** The exact text that is signed and sent. */
  body: string;
  /** `whsec_…`; each signs, so that a receiver can switch from one to the next. */
  secrets: readonly string[];
}

/** The outcome of an attempt. */
export type WebhookAnswer =
  | { delivered: true; status: number }
  | {
      delivered: false;
      /** Null: there was no response. */
      status: number | null;
      /** A description for administrators. */
      error: string;
      /** The receiver's `Retry-After`, in milliseconds; null: none. */
      retryAfterMs: number | null;
    };

/** Sends signed messages (standardwebhooks.com) to URLs configured by games. */
export interface WebhookSender {
  /** Why nothing would be sent to this URL now; null: no reason found, or its name cannot be resolved yet. */
  refusalOf(url: string): Promise<string | null>;
  /** Sends once. Never rejects because of the receiver, its address or the network. */
  send(message: WebhookMessage, stop?: AbortSignal): Promise<WebhookAnswer>;
}
