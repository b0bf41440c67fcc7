import type { z } from 'zod';
import { shownAdminToken } from '../auth/admin-token.ts';
import type { Authenticator, Credentials } from '../auth/authenticator.ts';
import { describeIssue } from '../core/schemas/describe-issue.ts';
import { reasonAt } from '../core/schemas/field-reason.ts';
import { isEmpty } from '../core/schemas/not-served.ts';
import { type FieldError, GantryError } from '../errors.ts';
import type { LimitState, RateLimits } from '../limits/rate-limits.ts';
import type { AnyOperation } from './define.ts';
import { withoutNulls } from './without-nulls.ts';

/** The two forms an input comes in; see `Operation.dispatchInput`. */
export type CallStyle = 'dedicated' | 'dispatch';

export interface Call {
  operation: AnyOperation;
  style: CallStyle;
  /** As it arrived: an object, nothing more is known of it. */
  input: Readonly<Record<string, unknown>>;
  credentials: Credentials;
  /** Where the call came from. */
  address: string;
  /** The live connection the call came over, handed to operations that need one. */
  connection?: object | undefined;
  /** Told who is calling, and in which game, once that is known; what it throws refuses the call. */
  onCaller?(caller: { gameId: string | undefined; wallet: string | undefined }): void;
  /** Told how the nearest rate limit stands after this call. */
  onLimit?(state: LimitState): void;
}

/** Who did what as an administrator. */
export interface AuditLog {
  /** Written before the operation is carried out, so that nothing goes unseen. Returns the entry's id. */
  begin(actor: string, operation: string, input: unknown): Promise<string>;
  /** `outcome`: `ok`, or the reason it was refused for. */
  finish(entryId: string, outcome: string): Promise<void>;
}

/** What is needed around the handlers, and the services they take. */
export interface Surroundings {
  audit: AuditLog;
  services: object;
}

export type Execute = (call: Call) => Promise<unknown>;

/** The one path every call takes, whatever it came by: authenticate, limit, parse, handle. */
export function createExecute(
  authenticator: Authenticator,
  limits: RateLimits,
  surroundings: Surroundings,
): Execute {
  const { services } = surroundings;
  return async ({ operation, style, input, credentials, address, connection, onCaller, onLimit }) => {
    const isForAdmin = operation.auth === 'admin';
    // Any page can have an administrator's browser call without a token: it must not lock that administrator out.
    const showsNothing = isForAdmin && shownAdminToken(credentials.authorization) === null;
    if (isForAdmin && !showsNothing) await limits.refuseGuessing(address, onLimit);
    const { caller, game, gameId } = await authenticator
      .authenticate(operation.auth, input, credentials)
      .catch(async (refused: unknown) => {
        await limits.countRefused(operation.kind, address, showsNothing ? null : refused, onLimit);
        throw refused;
      });
    const wallet = caller && 'session' in caller ? caller.session.wallet : undefined;
    onCaller?.({ gameId: game?.id, wallet });
    await limits.count(operation, { address, wallet, game: game ?? undefined }, onLimit);
    const schema = (style === 'dispatch' && operation.dispatchInput) || operation.input;
    const asked = gameId === undefined ? input : { ...input, gameId };
    refuseNotServed(operation, asked);
    const given = connection ? { ...services, connection } : services;
    const form = style === 'dispatch' && operation.otherForm?.isUsed(asked) ? operation.otherForm : null;
    if (form) {
      const request = { input: parseInput(form.input, asked) as never, caller: caller as never };
      return form.handler(request, given as never);
    }
    const parsed = parseInput(schema, isForAdmin ? asked : withoutNulls(schema, asked));
    if (caller && 'actor' in caller) return administer(operation, parsed, caller.actor, surroundings);
    return operation.handler({ input: parsed as never, caller: caller as never }, given as never);
  };
}

/**
 * Carries out an administrator's operation on an input that has been parsed. What changes something is
 * written to the audit log before it is done, and how it ended after.
 */
export async function administer(
  operation: AnyOperation,
  input: unknown,
  actor: 'admin-token' | 'cli',
  { audit, services }: Surroundings,
): Promise<unknown> {
  const handle = () =>
    operation.handler({ input: input as never, caller: { actor } as never }, services as never);
  if (operation.kind === 'read') return handle();
  const shown = operation.auditInput ? operation.auditInput(input as never) : input;
  const entry = await audit.begin(actor, operation.name, shown);
  try {
    const answer = await handle();
    await audit.finish(entry, 'ok');
    return answer;
  } catch (error) {
    await audit.finish(entry, error instanceof GantryError ? error.reason : 'internal');
    throw error;
  }
}

/** @throws GantryError `input_invalid` when the input has a field that is not served; nested ones of a query too */
function refuseNotServed({ notServed = {} }: AnyOperation, input: Readonly<Record<string, unknown>>): void {
  for (const [field, why] of Object.entries(notServed)) {
    const sent = Object.keys(input).find((name) => name === field || name.startsWith(`${field}[`));
    if (sent === undefined || isEmpty(input[sent])) continue;
    throw new GantryError('input_invalid', `${field}: ${why}`, { fields: [{ path: field, message: why }] });
  }
}

/** @throws GantryError 400, naming every field that is wrong; the first one gives the reason */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true, error: describeIssue });
  if (result.success) return result.data;
  const fields = result.error.issues.map(toFieldError);
  const [first] = result.error.issues;
  throw new GantryError(
    (first && reasonAt(schema, first.path)) ?? 'input_invalid',
    fields.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
    { fields },
  );
}

function toFieldError(issue: z.core.$ZodIssue): FieldError {
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return { path: issue.path.map(String).join('.'), message: missing ? 'is required' : issue.message };
}
