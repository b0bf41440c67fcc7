import type { IncomingMessage } from 'node:http';

/** What a connection is read by at a time. In bytes. */
const chunkBytes = 64 * 1024;
/** So much of large bodies is taken in before whatever else has come is looked at: half a millisecond's work. In bytes. */
const bytesPerTurn = 512 * 1024;
/** So much of refused bodies is taken in, of all callers together. */
export const refusedBytesPerSecond = 8 * 1024 * 1024;
const refusedEveryMs = 20;

/**
 * Takes bodies in a little at a time. Node reads up to two megabytes of every connection that has something before it
 * turns to anything else, so twenty callers who send megabytes would keep all others waiting. What was refused is taken
 * in slowly, for clients that send all before they read the answer: every 64 MB that come in, wanted or not, have V8
 * collect garbage with everybody waiting.
 */
export class BodyIntake {
  readonly #wanted = new Paused(bytesPerTurn);
  readonly #refused = new Paused((refusedBytesPerSecond * refusedEveryMs) / 1000);
  #isTurnEnding = false;
  #timer: NodeJS.Timeout | undefined;

  /** To be called with each part of a large body: where that was enough for now, the next ones are waited for. */
  took(request: IncomingMessage, bytes: number): void {
    this.#wanted.took(request, bytes);
    this.#endTurn();
  }

  /** The same of a body that was refused. */
  dropped(request: IncomingMessage, bytes: number): void {
    this.#refused.took(request, bytes);
    this.#waitForRefused();
  }

  #endTurn(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => {
      this.#isTurnEnding = false;
      if (this.#wanted.goOn()) this.#endTurn();
    });
  }

  #waitForRefused(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#refused.goOn()) this.#waitForRefused();
    }, refusedEveryMs).unref();
  }
}

/** Requests whose bodies wait until more of them may be taken in, first come, first served. */
class Paused {
  readonly #atOnce: number;
  readonly #requests = new Set<IncomingMessage>();
  #left: number;

  /** `atOnce` in bytes. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
    this.#left = atOnce;
  }

  took(request: IncomingMessage, bytes: number): void {
    this.#left -= bytes;
    if (this.#left > 0) return;
    request.pause();
    this.#requests.add(request);
  }

  /** Lets some go on, and says whether others wait. */
  goOn(): boolean {
    this.#left = Math.min(this.#atOnce, this.#left + this.#atOnce);
    const most = Math.max(0, Math.ceil(this.#left / chunkBytes));
    for (const request of [...this.#requests].slice(0, most)) {
      this.#requests.delete(request);
      request.resume();
    }
    return this.#requests.size > 0;
  }
}
