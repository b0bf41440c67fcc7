import { type ErrorBody, GantryError } from './client-error.ts';
import { repeatable, repeatableWithKey } from './operation-names.ts';

/** The reconnect delay when the server cannot accept connections right now. */
const reconnectDelayMs = 1_000;
/** The reconnect delay when rate limited without a `Retry-After`. */
const rateLimitedDelayMs = 10_000;
/** The maximum delay before signing in is tried again when the server specifies none; it doubles from a second. */
const maxSignInDelayMs = 30_000;
/** The delay before a call's first retry when the server specifies none; it doubles with each retry. */
const firstRetryDelayMs = 250;

/** The delay before a call's retry, in milliseconds; null when it must not be retried. */
export function retryDelay(error: GantryError, attempt: number, mayRepeat: boolean): number | null {
  // With these two statuses nothing was executed.
  const isRefusal = error.code === 429 || error.code === 503;
  if (!isRefusal && !(error.reason === 'connection_lost' && mayRepeat)) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds === undefined ? firstRetryDelayMs * 2 ** attempt : retryAfterSeconds * 1000;
}

/** Whether a call whose answer was lost may be sent again. */
export function mayRepeat(name: string, data: Readonly<Record<string, unknown>>): boolean {
  return repeatable.includes(name) || (data.idempotencyKey !== undefined && repeatableWithKey.includes(name));
}

/** The delay before the next attempt to connect, after the server refused one for a temporary reason; in milliseconds. */
export function reconnectDelay(code: number, { data }: ErrorBody): number {
  const seconds = data?.retryAfterSeconds;
  if (seconds !== undefined) return seconds * 1000;
  return code === 429 ? rateLimitedDelayMs : reconnectDelayMs;
}

/**
 * Tries again while the server asks to wait or does not answer, unless `mayWait` refuses the delay (in milliseconds).
 * @throws GantryError the last one
 */
export async function patiently<Result>(
  attempt: () => Promise<Result>,
  pause: (ms: number) => Promise<void>,
  mayWait: (ms: number) => boolean,
): Promise<Result> {
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof GantryError) || !isTemporary(error)) throw error;
      const { retryAfterSeconds } = error;
      // Not all clients at the same moment.
      const ownDelay = Math.min(1_000 * 2 ** count, maxSignInDelayMs) * (1 - Math.random() / 2);
      const delay = retryAfterSeconds === undefined ? ownDelay : retryAfterSeconds * 1000;
      if (!mayWait(delay)) throw error;
      await pause(delay);
    }
  }
}

/** Whether the same call may succeed later. */
export function isTemporary({ code, reason }: GantryError): boolean {
  return code === 429 || code >= 500 || reason === 'connection_lost';
}
