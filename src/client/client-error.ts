/** The parts of the server's error body that the client reads. */
export interface ErrorBody {
  message?: string;
  code?: number;
  data?: { reason?: string; version?: number };
  errors?: readonly { path: string; message: string }[];
}

/** An operation was rejected or failed. */
export class ClientError extends Error {
  /** The server's `data.reason`; `connection_lost` without a response: the outcome is unknown. */
  readonly reason: string;
  /** The HTTP status; 0 without a response. */
  readonly code: number;
  /** The invalid fields. */
  readonly errors: readonly { path: string; message: string }[];
  /** Of a `version_conflict`: the version there is; 0: there is no state. */
  readonly version: number | undefined;

  constructor(body: ErrorBody) {
    super(body.message ?? 'The server gave no reason');
    this.name = 'ClientError';
    this.reason = body.data?.reason ?? 'unknown';
    this.code = body.code ?? 0;
    this.errors = body.errors ?? [];
    this.version = body.data?.version;
  }
}

/** No response; the operation may or may not have been executed. */
export function connectionLost(): ClientError {
  return new ClientError({
    message: 'The connection was lost before the response arrived',
    data: { reason: 'connection_lost' },
  });
}
