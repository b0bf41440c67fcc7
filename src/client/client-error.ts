import type { Reason } from './operation-types.ts';

/** The parts of the server's error body that the client reads. */
export interface ErrorBody {
  message?: string;
  code?: number;
  data?: { reason?: string; version?: number; retryAfterSeconds?: number };
  errors?: readonly { path: string; message: string }[];
}

/**
 * Reasons of the client's own:
 * - `connection_lost`: no answer came, and whether the operation was carried out is not known
 * - `client_closed`: `close` was called first
 * - `queue_expired`: a queued call may have been carried out, too long ago to send it again
 * - `unknown`: something between client and server answered in the server's place
 */
export type ClientReason = 'connection_lost' | 'client_closed' | 'queue_expired' | 'unknown';

/** An operation was refused or failed. Branch on `reason`; `message` is for people. */
export class GantryError extends Error {
  readonly reason: Reason | ClientReason;
  /** The HTTP status, over a socket too; 0 without an answer. */
  readonly code: number;
  /** When to try again, in seconds from now, where the server says so. */
  readonly retryAfterSeconds: number | undefined;
  /** What the server says beside the reason. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The invalid fields. */
  readonly errors: readonly { path: string; message: string }[];
  /** Of a `version_conflict`: the version there is; 0: there is no state. */
  readonly version: number | undefined;

  constructor(body: ErrorBody) {
    super(body.message ?? 'The server gave no reason');
    this.name = 'GantryError';
    // A later server may know reasons that this client does not.
    this.reason = (body.data?.reason ?? 'unknown') as Reason | ClientReason;
    this.code = body.code ?? 0;
    this.retryAfterSeconds = body.data?.retryAfterSeconds;
    this.data = { ...body.data };
    this.errors = body.errors ?? [];
    this.version = body.data?.version;
  }
}

/** No response; the operation may or may not have been executed. */
export function connectionLost(): GantryError {
  return clientError('connection_lost', 'The connection was lost before the response arrived');
}

export function clientError(reason: ClientReason, message: string): GantryError {
  return new GantryError({ message, data: { reason } });
}
