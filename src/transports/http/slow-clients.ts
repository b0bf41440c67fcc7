import type { IncomingMessage, ServerResponse } from 'node:http';
import { GantryError } from '../../core/errors.ts';

/**
 * How fast clients must send a request's body and read a large response, in bytes per second: both are in memory, or
 * on an open connection, until then.
 */
export const minBytesPerSecond = 16 * 1024;
/** How far a client may fall behind that, in total: connections of phones stall for seconds. */
const graceMs = 10_000;
const checkIntervalMs = 1_000;

/** The time within which a client has to send or read this many bytes, in milliseconds. */
export function timeFor(bytes: number): number {
  return graceMs + (bytes / minBytesPerSecond) * 1000;
}

/** Disconnects a client that reads a response of this size too slowly. Call this once it has been written. */
export function closeIfSlow(response: ServerResponse, bytes: number): void {
  const timer = setTimeout(() => response.destroy(), timeFor(bytes)).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Finds requests whose body arrives too slowly. */
export class SlowBodies {
  readonly #watched = new Map<IncomingMessage, Watched>();
  #isCheckScheduled = false;

  /** Calls `onSlow` once if the body arrives too slowly before `ended` is called. */
  watch(request: IncomingMessage, onSlow: () => void): void {
    this.#watched.set(request, { onSlow, since: null, bytesBefore: 0 });
    this.#scheduleCheck();
  }

  /** Call this when a body needs no watching any more. A complete one is dropped within a second otherwise. */
  ended(request: IncomingMessage): void {
    this.#watched.delete(request);
  }

  #scheduleCheck(): void {
    if (this.#isCheckScheduled) return;
    this.#isCheckScheduled = true;
    setTimeout(() => {
      this.#isCheckScheduled = false;
      this.#check();
      if (this.#watched.size > 0) this.#scheduleCheck();
    }, checkIntervalMs).unref();
  }

  #check(): void {
    const now = performance.now();
    for (const [request, watched] of this.#watched) {
      const { bytesRead } = request.socket;
      if (request.complete || request.destroyed) this.#watched.delete(request);
      else if (watched.since === null || request.isPaused()) {
        // It begins with the first check, since most bodies do not live to see one; and again after we were slow.
        watched.since = now;
        watched.bytesBefore = bytesRead;
      } else if (now - watched.since > timeFor(bytesRead - watched.bytesBefore)) {
        this.#watched.delete(request);
        watched.onSlow();
      }
    }
  }
}

interface Watched {
  onSlow(): void;
  /** In milliseconds, as `performance.now()`; null before the first check. */
  since: number | null;
  /** Of the connection. */
  bytesBefore: number;
}

export function bodyTooSlow(): GantryError {
  return new GantryError(
    'body_too_slow',
    `The request body arrived more slowly than ${minBytesPerSecond / 1024} KiB a second: send it again over a better connection, ` +
      'or in several smaller calls',
  );
}
