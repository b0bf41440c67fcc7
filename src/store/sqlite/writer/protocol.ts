import type { FieldError, Reason } from '../../../errors.ts';
import { GantryError } from '../../../errors.ts';
import type { StoredEvent } from '../../../events/stream.ts';
import type { Retention } from '../../store.ts';
import type { Part } from './methods.ts';

/** What the writer's thread is started with. */
export interface WriterOptions {
  file: string;
  /** See `clockIn`; left out, the time is the real one. */
  clock: SharedArrayBuffer | undefined;
  /** See `steadyClock`. */
  time: SharedArrayBuffer;
  retention: Retention;
}

/** A method to run, with its arguments. */
export type Call = [id: number, part: Part, method: string, args: readonly unknown[]];

/** To the writer: what was asked for in one turn of the event loop; `close`, after which it ends. */
export type ToWriter = { calls: readonly Call[] } | { close: true };

/** How a call ended: its result, or what it was refused with. */
export type Outcome = [id: number, result: unknown] | [id: number, result: undefined, failure: Failure];

/** From the writer, after a commit: how its calls ended, the events it wrote, in their order, and how it fares. */
export interface FromWriter {
  outcomes: readonly Outcome[];
  events: readonly StoredEvent[];
  /** See `Store.onTrouble`. */
  trouble: string | null;
}

/** An error on its way between threads, where only plain data and bare errors can go. */
export type Failure =
  | { reason: Reason; message: string; fields?: FieldError[]; retryAfterSeconds?: number; cause?: unknown }
  | { error: Error };

export function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof GantryError)) {
    return { error: thrown instanceof Error ? bare(thrown) : new Error(String(thrown)) };
  }
  const { reason, message, fields, retryAfterSeconds, cause } = thrown;
  return {
    reason,
    message,
    ...(fields && { fields }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(cause !== undefined && { cause: cause instanceof Error ? bare(cause) : String(cause) }),
  };
}

export function fromFailure(failure: Failure): Error {
  if ('error' in failure) return failure.error;
  const { reason, message, ...details } = failure;
  return new GantryError(reason, message, details);
}

/** An error without whatever a library hung onto it, which might not go from one thread to another. */
function bare({ name, message, stack }: Error): Error {
  const error = new Error(message);
  return Object.assign(error, { name, stack: stack ?? '' });
}
