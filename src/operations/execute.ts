import type { z } from 'zod';
import type { Authenticator, Credentials } from '../auth/authenticator.ts';
import { reasonOf } from '../domain/field-reason.ts';
import { type FieldError, GantryError } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { AnyOperation, Services } from './define.ts';

/** The two forms an input comes in; see `Operation.dispatchInput`. */
export type CallStyle = 'dedicated' | 'dispatch';

export interface Call {
  operation: AnyOperation;
  style: CallStyle;
  /** As it arrived: an object, nothing more is known of it. */
  input: Readonly<Record<string, unknown>>;
  credentials: Credentials;
  /** Set when the call came over a live connection. */
  connection?: Connection | undefined;
}

export type Execute = (call: Call) => Promise<unknown>;

/** The one path every call takes, whatever it came by: authenticate, parse, handle. */
export function createExecute(authenticator: Authenticator, services: Services): Execute {
  return async ({ operation, style, input, credentials, connection }) => {
    const caller = await authenticator.authenticate(operation.auth, input, credentials);
    const schema = (style === 'dispatch' && operation.dispatchInput) || operation.input;
    const parsed = parseInput(schema, input);
    return operation.handler({ input: parsed as never, caller: caller as never, connection }, services);
  };
}

/** @throws GantryError 400, naming every field that is wrong; the first one gives the reason */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const fields = result.error.issues.map(toFieldError);
  const [first] = result.error.issues;
  const field = first && schema.shape[String(first.path[0])];
  throw new GantryError(
    (field && reasonOf(field)) ?? 'input_invalid',
    fields.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
    { fields },
  );
}

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return { path: issue.path.map(String).join('.'), message: missing ? 'is required' : issue.message };
}
