/** So many sessions are ended in one command: a key may have signed the tokens of ten thousand sockets. */
const batchSize = 100;

/**
 * Which sockets were admitted by tokens of which signing key, so that those of a retired key can be told and
 * disconnected: every call checks its token again, but a socket that only listens would go on listening.
 */
export class SigningKeys {
  /** Key → sockets → session. */
  readonly #sockets = new Map<string | undefined, Map<string, string>>();
  readonly #isGood: (kid: string | undefined) => Promise<boolean>;
  readonly #end: (sessionIds: readonly string[]) => void;

  /** `end` is told of the sessions whose sockets came with tokens that are void now, a few at a time. */
  constructor(
    isGood: (kid: string | undefined) => Promise<boolean>,
    end: (sessionIds: readonly string[]) => void,
  ) {
    this.#isGood = isGood;
    this.#end = end;
  }

  /** Returns how to forget the socket when it is gone. */
  add(kid: string | undefined, socketId: string, sessionId: string): () => void {
    const sockets = this.#sockets.get(kid) ?? new Map<string, string>();
    this.#sockets.set(kid, sockets.set(socketId, sessionId));
    return () => {
      sockets.delete(socketId);
      if (sockets.size === 0 && this.#sockets.get(kid) === sockets) this.#sockets.delete(kid);
    };
  }

  /** To be called now and then. A key whose sockets are not gone by the next check is told of again. */
  async check(): Promise<void> {
    for (const [kid, sockets] of [...this.#sockets]) {
      if (await this.#isGood(kid)) continue;
      const sessionIds = [...new Set(sockets.values())];
      for (let at = 0; at < sessionIds.length; at += batchSize) {
        this.#end(sessionIds.slice(at, at + batchSize));
      }
    }
  }
}
