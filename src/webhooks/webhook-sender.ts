/** What is sent, and to whom. */
export interface WebhookMessage {
  url: string;
  /** The same whenever the same message is sent. */
  id: string;
  /** As it is signed and sent. */
  body: string;
  /** `whsec_…`; each signs, so that a receiver can change from one to the next. */
  secrets: readonly string[];
}

/** How the receiver took it. */
export type WebhookAnswer =
  | { delivered: true; status: number }
  | {
      delivered: false;
      /** Null: there was no answer. */
      status: number | null;
      /** In words, for administrators. */
      error: string;
      /** When the receiver wants to be asked again, in milliseconds; null: it did not say. */
      retryAfterMs: number | null;
    };

/** Sends signed messages (standardwebhooks.com) to addresses that games have chosen. */
export interface WebhookSender {
  /** Why nothing is ever sent to this address, as far as that shows without looking a name up; null: nothing is wrong so far. */
  refusalOf(url: string): string | null;
  /** Sends once. Never rejects for what a receiver, its address or the network does. */
  send(message: WebhookMessage, stop?: AbortSignal): Promise<WebhookAnswer>;
}
