/** The parts of the server's error body that the client reads. */
export interface ErrorBody {
  message?: string;
  code?: number;
  data?: { reason?: string };
  errors?: readonly { path: string; message: string }[];
}

/** An operation was refused or could not be carried out. */
export class ClientError extends Error {
  /** The server's `data.reason`; `connection_lost` when no answer came, so that the outcome is unknown. */
  readonly reason: string;
  /** The HTTP status; 0 without an answer. */
  readonly code: number;
  /** Which fields were wrong. */
  readonly errors: readonly { path: string; message: string }[];

  constructor(body: ErrorBody) {
    super(body.message ?? 'The server gave no reason');
    this.name = 'ClientError';
    this.reason = body.data?.reason ?? 'unknown';
    this.code = body.code ?? 0;
    this.errors = body.errors ?? [];
  }
}

/** No answer came; the operation may or may not have been carried out. */
export function connectionLost(): ClientError {
  return new ClientError({
    message: 'The connection was lost before an answer came',
    data: { reason: 'connection_lost' },
  });
}
