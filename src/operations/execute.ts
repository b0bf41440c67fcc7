import type { z } from 'zod';
import type { Authenticator, Credentials } from '../auth/authenticator.ts';
import { reasonAt } from '../domain/field-reason.ts';
import { type FieldError, GantryError } from '../errors.ts';
import type { RecentFigures } from '../figures/recent-figures.ts';
import type { LimitState, RateLimits } from '../limits/rate-limits.ts';
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
  /** Where the call came from. */
  address: string;
  /** Set when the call came over a live connection. */
  connection?: Connection | undefined;
  /** Told which game the call is in, once that is known. */
  onGame?(gameId: string): void;
  /** Told how the nearest rate limit stands after this call. */
  onLimit?(state: LimitState): void;
}

export type Execute = (call: Call) => Promise<unknown>;

/** The one path every call takes, whatever it came by: authenticate, limit, parse, handle. */
export function createExecute(authenticator: Authenticator, limits: RateLimits, services: Services): Execute {
  return async ({ operation, style, input, credentials, address, connection, onGame, onLimit }) => {
    if (operation.auth === 'admin') await limits.refuseGuessing(address, onLimit);
    const { caller, game } = await authenticator
      .authenticate(operation.auth, input, credentials)
      .catch(async (refused: unknown) => {
        await limits.countRefused(operation.kind, address, refused, onLimit);
        throw refused;
      });
    if (game) onGame?.(game.id);
    const sessionId = caller && 'session' in caller ? caller.session.id : undefined;
    await limits.count(operation, { address, sessionId, game: game ?? undefined }, onLimit);
    const schema = (style === 'dispatch' && operation.dispatchInput) || operation.input;
    const parsed = parseInput(schema, input);
    if (caller && 'actor' in caller) return administer(operation, parsed, caller.actor, services);
    return operation.handler({ input: parsed as never, caller: caller as never, connection }, services);
  };
}

/** Counts every call, and how long it took to its answer. */
export function counted(execute: Execute, figures: Pick<RecentFigures, 'countCall'>): Execute {
  return async (call) => {
    const startedAt = performance.now();
    let status = 200;
    try {
      return await execute(call);
    } catch (error) {
      status = error instanceof GantryError ? error.code : 500;
      throw error;
    } finally {
      figures.countCall(status, performance.now() - startedAt);
    }
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
  services: Services,
): Promise<unknown> {
  const handle = () => operation.handler({ input: input as never, caller: { actor } as never }, services);
  if (operation.kind === 'read') return handle();
  const shown = operation.auditInput ? operation.auditInput(input as never) : input;
  const entry = await services.store.audit.begin(actor, operation.name, shown);
  try {
    const answer = await handle();
    await services.store.audit.finish(entry, 'ok');
    return answer;
  } catch (error) {
    await services.store.audit.finish(entry, error instanceof GantryError ? error.reason : 'internal');
    throw error;
  }
}

/** @throws GantryError 400, naming every field that is wrong; the first one gives the reason */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
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
