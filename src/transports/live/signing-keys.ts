/** The number of sessions ended per command: a key may have signed the tokens of ten thousand sockets. */
const batchSize = 100;

/**
 * Tracks which signing key admitted each socket, so that the sockets of a retired key can be notified and disconnected.
 * Every call verifies its token again, but a socket that only listens would otherwise stay connected.
 */
export class SigningKeys {
  /** Key id → socket id → session id. */
  readonly #sockets = new Map<string | undefined, Map<string, string>>();
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

  /** Returns a function that removes the socket. */
  add(kid: string | undefined, socketId: string, sessionId: string): () => void {
    const sockets = this.#sockets.get(kid) ?? new Map<string, string>();
    this.#sockets.set(kid, sockets.set(socketId, sessionId));
    return () => {
      sockets.delete(socketId);
      if (sockets.size === 0 && this.#sockets.get(kid) === sockets) this.#sockets.delete(kid);
    };
  }

  /** Call this periodically. Sessions whose sockets are still connected at the next check are reported again. */
  async check(): Promise<void> {
    for (const [kid, sockets] of [...this.#sockets]) {
      if (await this.#isValid(kid)) continue;
      const sessionIds = [...new Set(sockets.values())];
      for (let at = 0; at < sessionIds.length; at += batchSize) {
        this.#end(sessionIds.slice(at, at + batchSize));
      }
    }
  }
}
