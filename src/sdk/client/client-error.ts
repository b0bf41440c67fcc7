import type { Reason } from './operation-types.ts';

/** What to install instead, and where; empty texts: not said. */
export interface RequiredUpdate {
  version: string;
  url: string;
  message: string;
}

/** A token of which the player has too few. */
export interface MissingToken {
  standard: string;
  chainId: number;
  contract: string;
  tokenId?: string;
  amount: string;
  owned: string;
}

/** The parts of the server's error body that the client reads. */
export interface ErrorBody {
  message?: string;
  code?: number;
  data?: {
    reason?: string;
    version?: number;
    retryAfterSeconds?: number;
    endReason?: string;
    update?: RequiredUpdate;
    missing?: readonly MissingToken[];
  };
  errors?: readonly { path: string; message: string }[];
}

/**
 * Reasons for errors that the client raises itself:
 * - `connection_lost`: there was no answer; the operation may or may not have been executed
 * - `client_closed`: `close` was called first
 * - `queue_expired`: a queued call may have been executed, too long ago to retry it
 * - `event_unknown`: there is no event of this name
 * - `unknown`: a proxy answered instead of the server
 */
export type ClientReason =
  | 'connection_lost'
  | 'client_closed'
  | 'queue_expired'
  | 'event_unknown'
  | 'unknown';

/** An operation was refused or failed. Branch on `reason`; `message` is for people. */
export class GantryError extends Error {
  readonly reason: Reason | ClientReason;
  /** The HTTP status, over a socket too; 0 without an answer. */
  readonly code: number;
  /** The delay before a retry, in seconds, if the server specifies one. */
  readonly retryAfterSeconds: number | undefined;
  /** The error's details, including the reason. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The invalid fields. */
  readonly errors: readonly { path: string; message: string }[];
  /** For `version_conflict`: the current version; 0 when there is no state. */
  readonly version: number | undefined;
  /** For `update_required`. */
  readonly update: RequiredUpdate | undefined;
  /** For `access_denied`: the tokens that the player needs. */
  readonly missing: readonly MissingToken[] | undefined;

  constructor(body: ErrorBody) {
    super(body.message ?? 'The server gave no reason');
    this.name = 'GantryError';
    // A newer server may have reasons that this client does not know.
    this.reason = (body.data?.reason ?? 'unknown') as Reason | ClientReason;
    this.code = body.code ?? 0;
    this.retryAfterSeconds = body.data?.retryAfterSeconds;
    this.data = { ...body.data };
    this.errors = body.errors ?? [];
    this.version = body.data?.version;
    this.update = body.data?.update;
    this.missing = body.data?.missing;
  }
}

/** No response; the operation may or may not have been executed. */
export function connectionLost(url: string): GantryError {
  return clientError(
    'connection_lost',
    `No response from Gantry at ${url}: it could not be reached, or the connection was lost`,
  );
}

/** Nothing can be called over HTTP at this address, unlike at one without an origin in a browser. */
export function schemeMissing(url: string): GantryError {
  const message = `The server's URL must begin with http:// or https://, unlike '${url}'`;
  return new GantryError({ message, code: 400, data: { reason: 'input_invalid' } });
}

export function clientClosed(): GantryError {
  return clientError('client_closed', 'The client was closed');
}

export function clientError(reason: ClientReason, message: string): GantryError {
  return new GantryError({ message, data: { reason } });
}
