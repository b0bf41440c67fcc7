import {
  type FieldError,
  GantryError,
  type MissingToken,
  type PresentVersion,
  type Reason,
} from './errors.ts';

/** An error serialized for another thread, which can only receive plain data and built-in errors. */
export type Failure =
  | {
      reason: Reason;
      message: string;
      fields?: FieldError[];
      present?: Partial<PresentVersion>;
      retryAfterSeconds?: number;
      endReason?: string;
      missing?: readonly MissingToken[];
      cause?: unknown;
    }
  | { error: Error };

export function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof GantryError)) {
    return { error: thrown instanceof Error ? bare(thrown) : new Error(String(thrown)) };
  }
  const { reason, message, fields, present, retryAfterSeconds, endReason, missing, cause } = thrown;
  return {
    reason,
    message,
    ...(fields && { fields }),
    ...(present && { present }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(endReason !== undefined && { endReason }),
    ...(missing && { missing }),
    ...(cause !== undefined && { cause: cause instanceof Error ? bare(cause) : String(cause) }),
  };
}

export function fromFailure(failure: Failure): Error {
  if ('error' in failure) return failure.error;
  const { reason, message, ...details } = failure;
  return new GantryError(reason, message, details);
}

/** A copy of an error without properties added by libraries, which might not be cloneable. */
function bare({ name, message, stack }: Error): Error {
  const error = new Error(message);
  return Object.assign(error, { name, stack: stack ?? '' });
}
