import type { Redis } from 'ioredis';
import { withTimeout } from '../../runtime/timeouts.ts';

/** The timeout for a response: Redis may keep a connection open without responding. */
const responseMs = 2_000;

interface Subscription {
  /** By Redis, on the connection that is open. */
  isConfirmed: boolean;
  readonly confirmed: PromiseWithResolvers<void>;
}

/**
 * The channels that a connection is to be subscribed to. ioredis subscribes once after a reconnect, and forgets what
 * Redis refuses then; here, it remains to be restored, for example until the user has its permissions again.
 */
export class Subscriptions {
  readonly #client: Redis;
  /** By channel. */
  readonly #all = new Map<string, Subscription>();
  readonly #subscribe: (...channels: string[]) => Promise<unknown>;

  /**
   * Replaces the client's methods, which then never reject: promises of `subscribe` resolve once Redis has confirmed, and
   * patterns are ignored. Socket.IO's adapter subscribes to one, for broadcasts, which no node sends over Redis; a user
   * with the permissions `&gantry:*` may not.
   */
  constructor(client: Redis) {
    this.#client = client;
    this.#subscribe = client.subscribe.bind(client);
    const unsubscribe: (...channels: string[]) => Promise<unknown> = client.unsubscribe.bind(client);
    Object.assign(client, {
      subscribe: (...channels: (string | string[])[]) => this.#begin(channels.flat()),
      unsubscribe: async (...channels: (string | string[])[]) => {
        for (const channel of channels.flat()) this.#all.delete(channel);
        await unsubscribe(...channels.flat()).catch(() => {});
      },
      psubscribe: async () => {},
      punsubscribe: async () => {},
    });
    client.on('close', () => {
      for (const one of this.#all.values()) one.isConfirmed = false;
    });
  }

  /** Subscribes to what Redis has not confirmed. @throws Error Redis's refusal, or that of a lost connection */
  async restore(): Promise<void> {
    await withTimeout(responseMs, this.#send());
  }

  async #begin(channels: readonly string[]): Promise<void> {
    const begun = channels.map((channel) => {
      const one = { isConfirmed: false, confirmed: Promise.withResolvers<void>() };
      this.#all.set(channel, one);
      return one;
    });
    this.#send().catch(() => {}); // `restore` tries again
    await Promise.all(begun.map(({ confirmed }) => confirmed.promise));
  }

  /** Not before the connection is open. */
  async #send(): Promise<void> {
    const missing = [...this.#all].filter(([, { isConfirmed }]) => !isConfirmed);
    if (missing.length === 0 || this.#client.status !== 'ready') return;
    await this.#subscribe(...missing.map(([channel]) => channel));
    for (const [, one] of missing) {
      one.isConfirmed = true;
      one.confirmed.resolve();
    }
  }
}
