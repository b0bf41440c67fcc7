/** The number of sessions ended per command: a key may have signed the tokens of ten thousand sockets. */
const batchSize = 100;

/** A key whose tokens have admitted sockets that are still connected. */
export interface SigningKey {
  readonly kid: string | undefined;
  /** Socket id → session id. */
  readonly sockets: Map<string, string>;
}

/**
 * Tracks which signing key admitted each socket, so that the sockets of a retired key can be notified and disconnected.
 * Every call verifies its token again, but a socket that only listens would otherwise stay connected.
 */
export class SigningKeys {
  readonly #keys = new Map<string | undefined, SigningKey>();
  readonly #isValid: (kid: string | undefined) => Promise<boolean>;
  readonly #end: (sessionIds: readonly string[]) => void;

  /** `end` is called with the sessions whose tokens are no longer valid, in batches. */
  constructor(
    isValid: (kid: string | undefined) => Promise<boolean>,
    end: (sessionIds: readonly string[]) => void,
  ) {
    this.#isValid = isValid;
    this.#end = end;
  }

  /** Returns the key, to `remove` the socket. */
  add(kid: string | undefined, socketId: string, sessionId: string): SigningKey {
    const key = this.#keys.get(kid) ?? { kid, sockets: new Map<string, string>() };
    this.#keys.set(kid, key);
    key.sockets.set(socketId, sessionId);
    return key;
  }

  remove(key: SigningKey, socketId: string): void {
    key.sockets.delete(socketId);
    if (key.sockets.size === 0 && this.#keys.get(key.kid) === key) this.#keys.delete(key.kid);
  }

  /** Call this periodically. Sessions whose sockets are still connected at the next check are reported again. */
  async check(): Promise<void> {
    for (const { kid, sockets } of [...this.#keys.values()]) {
      if (await this.#isValid(kid)) continue;
      const sessionIds = [...new Set(sockets.values())];
      for (let at = 0; at < sessionIds.length; at += batchSize) {
        this.#end(sessionIds.slice(at, at + batchSize));
      }
    }
  }
}
