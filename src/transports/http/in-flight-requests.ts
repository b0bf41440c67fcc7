import type { Server } from 'node:http';
import { withTimeout } from '../../runtime/timeouts.ts';

/** Counts in-flight requests, so that a shutdown can wait for them. */
export class InFlightRequests {
  #count = 0;
  #waiting: (() => void)[] = [];

  constructor(http: Server) {
    http.on('request', (_request, response) => {
      this.#count++;
      // Keep-alive connections would keep sending requests to a server that is shutting down.
      if (!http.listening) response.setHeader('Connection', 'close');
      response.on('close', this.#ended);
    });
  }

  /** One listener shared by all responses, each of which closes once. */
  readonly #ended = () => {
    this.#count--;
    if (this.#count > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /** Resolves when no request is in flight, or after `timeoutMs`. */
  async finished(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    await withTimeout(timeoutMs, new Promise<void>((resolve) => this.#waiting.push(resolve)));
  }
}
