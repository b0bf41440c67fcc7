import { clientError, GantryError, type RequiredUpdate } from './client-error.ts';
import type { CompleteOptions } from './client-options.ts';

/**
 * - `connecting`: not connected yet, or reconnecting
 * - `live`: connected; events arrive, after the `replayed` missed ones; `warning`: the next version of the server will refuse
 *   this SDK, so update it
 * - `ended`: the server ended the session, for `endReason` if it is known; the client does not reconnect
 * - `refused`: the token, or the version of the game (then with `update`), was not accepted, for `reason`, explained by
 *   `message`, with the HTTP status `code`; the client does not reconnect
 */
export type Status =
  | { state: 'connecting' }
  | { state: 'live'; replayed: number; warning?: string }
  | { state: 'ended'; endReason: string | null }
  | { state: 'refused'; reason: string; message: string; code: number; update?: RequiredUpdate };

/** Whether the client does not connect again. */
export function isFinal({ state }: Status): boolean {
  return state === 'ended' || state === 'refused';
}

export function refusedFor({ reason, message, code, update }: GantryError): Status {
  return { state: 'refused', reason, message, code, ...(update && { update }) };
}

/** Why a call cannot be sent. */
export function refusalOf(status: Status): GantryError {
  if (status.state !== 'refused') {
    return new GantryError({
      message: 'The session has ended',
      code: 401,
      data: { reason: 'session_ended' },
    });
  }
  const { reason, message, code, update } = status;
  return new GantryError({ message, code, data: { reason, ...(update && { update }) } });
}

/** There was no connection within the timeout of a call. */
export function unreachable({ url, timeoutMs }: Pick<CompleteOptions, 'url' | 'timeoutMs'>): GantryError {
  const message = `No connection to Gantry at ${url} after ${timeoutMs / 1000} s; the client continues to try`;
  return clientError('connection_lost', message);
}
