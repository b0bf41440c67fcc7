import type { IncomingMessage } from 'node:http';

/** The size in which Node reads from a connection, in bytes. */
const chunkBytes = 64 * 1024;
/** How much of large bodies is read per turn of the event loop, in bytes: half a millisecond's work. */
const bytesPerTurn = 512 * 1024;
/** How much of refused bodies is read, for all callers together. */
export const refusedBytesPerSecond = 8 * 1024 * 1024;
const refusedIntervalMs = 20;

/**
 * Applies back-pressure to large bodies. Node reads up to two megabytes from each readable connection before it does
 * anything else, so twenty clients that send megabytes would delay all others. Refused bodies are read slowly, for
 * clients that send everything before they read the response: every 64 MB received make V8 collect garbage, which
 * blocks the event loop.
 */
export class BodyIntake {
  readonly #accepted = new PausedRequests(bytesPerTurn);
  readonly #refused = new PausedRequests((refusedBytesPerSecond * refusedIntervalMs) / 1000);
  #isTurnScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  /** Call this with each chunk of a large body; pauses the request once this turn's budget is spent. */
  received(request: IncomingMessage, bytes: number): void {
    this.#accepted.received(request, bytes);
    this.#scheduleTurn();
  }

  /** The same for a body that was refused. */
  discarded(request: IncomingMessage, bytes: number): void {
    this.#refused.received(request, bytes);
    this.#scheduleRefused();
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    setImmediate(() => {
      this.#isTurnScheduled = false;
      if (this.#accepted.resumeNext()) this.#scheduleTurn();
    });
  }

  #scheduleRefused(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#refused.resumeNext()) this.#scheduleRefused();
    }, refusedIntervalMs).unref();
  }
}

/** Requests paused until more bytes may be read, resumed in FIFO order. */
class PausedRequests {
  readonly #budget: number;
  readonly #requests = new Set<IncomingMessage>();
  #left: number;

  /** `budget` in bytes per interval. */
  constructor(budget: number) {
    this.#budget = budget;
    this.#left = budget;
  }

  received(request: IncomingMessage, bytes: number): void {
    this.#left -= bytes;
    if (this.#left > 0) return;
    request.pause();
    this.#requests.add(request);
  }

  /** Refills the budget and resumes as many requests as it allows. Returns whether others are still paused. */
  resumeNext(): boolean {
    this.#left = Math.min(this.#budget, this.#left + this.#budget);
    const count = Math.max(0, Math.ceil(this.#left / chunkBytes));
    for (const request of [...this.#requests].slice(0, count)) {
      this.#requests.delete(request);
      request.resume();
    }
    return this.#requests.size > 0;
  }
}
