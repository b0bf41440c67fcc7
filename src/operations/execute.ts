import { shownAdminToken } from '../auth/admin-token.ts';
import type { Authenticated, Authenticator, Callers, Credentials } from '../auth/authenticator.ts';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import type { RunAsGuest } from '../guest-writes/commands.ts';
import { guestDatabase } from '../guest-writes/guest-database.ts';
import { claimOf, idempotencyKey } from '../idempotency/claim.ts';
import type { RunOnce } from '../idempotency/commands.ts';
import { keyedDatabase } from '../idempotency/keyed-database.ts';
import type { LimitState, RateLimits } from '../limits/rate-limits.ts';
import type { AnyOperation } from './define.ts';
import { type BatchCaller, executeTogether, type TogetherParts } from './execute-together.ts';
import { parseInput, refuseNotServed, refuseOtherRoles, refuseWhatIsForServers } from './parse-input.ts';
import { withoutNulls } from './without-nulls.ts';

/** The two forms an input comes in; see `Operation.dispatchInput`. */
export type CallStyle = 'dedicated' | 'dispatch';

export interface Call {
  operation: AnyOperation;
  style: CallStyle;
  /** As it arrived: an object, nothing more is known of it. */
  input: Readonly<Record<string, unknown>>;
  credentials: Credentials;
  /** The header `Idempotency-Key`; left out, the input's `idempotencyKey` counts. */
  idempotencyKey?: string | undefined;
  /** Where the call came from. */
  address: string;
  /** The live connection the call came over, handed to operations that need one. */
  connection?: object | undefined;
  /** Told who is calling, and in which game, once that is known; what it throws refuses the call. */
  onCaller?(caller: KnownCaller): void;
  /** Told how the nearest rate limit stands after this call. */
  onLimit?(state: LimitState): void;
}

/** Who is calling, as far as transports are to know. */
export interface KnownCaller {
  gameId: string | undefined;
  wallet: string | undefined;
  /** The game's own server calls, about the player of this wallet if there is one. */
  isServer: boolean;
}

/** Who did what as an administrator. */
export interface AuditLog {
  /** Written before the operation is carried out, so that nothing goes unseen. Returns the entry's id. */
  begin(caller: Callers['admin'], operation: string, input: unknown): Promise<string>;
  /** `outcome`: `ok`, or the reason it was refused for. */
  finish(entryId: string, outcome: string): Promise<void>;
}

/** What is needed around the handlers, and the services they take. */
export interface Surroundings {
  audit: AuditLog;
  services: { db: Database };
  runOnce: RunOnce;
  runAsGuest: RunAsGuest;
  runAll: TogetherParts['runAll'];
  /** The operation that `launcher` offers under a name. */
  find: TogetherParts['find'];
}

export type Execute = (call: Call) => Promise<unknown>;

/** The one path every call takes, whatever it came by: authenticate, limit, parse, handle. */
export function createExecute(
  authenticator: Authenticator,
  limits: RateLimits,
  surroundings: Surroundings,
): Execute {
  const { services } = surroundings;
  const byConnection = new WeakMap<object, typeof services>();
  /** The services, and with them the connection that a call came over: put together once for each. */
  const onConnection = (connection: object | undefined): typeof services => {
    if (!connection) return services;
    const known = byConnection.get(connection);
    if (known) return known;
    const given = Object.freeze({ ...services, connection });
    byConnection.set(connection, given);
    return given;
  };
  return async (call) => {
    const { operation, style, input, credentials, address, connection, onCaller, onLimit } = call;
    const isForAdmin = operation.auth === 'admin';
    // Any page can have an administrator's browser call without a token: it must not lock that administrator out.
    const showsNothing = isForAdmin && shownAdminToken(credentials.authorization) === null;
    if (isForAdmin && !showsNothing) await limits.refuseGuessing(address, onLimit);
    let authenticated: Authenticated;
    try {
      authenticated = await authenticator.authenticate(operation.auth, input, credentials);
    } catch (refused) {
      await limits.countRefused(operation.kind, address, showsNothing ? null : refused, onLimit);
      throw refused;
    }
    const { caller, game, gameId } = authenticated;
    const wallet = (caller && 'wallet' in caller ? caller.wallet : null) ?? undefined;
    const server = authenticated.server ?? undefined;
    onCaller?.({ gameId: game?.id, wallet, isServer: server !== undefined });
    const administratorId = (caller && 'actor' in caller ? caller.administratorId : null) ?? undefined;
    const limited = { address, wallet, administratorId, game: game ?? undefined, server };
    const counting = limits.count(operation, limited, onLimit);
    if (counting) await counting;
    refuseWhatIsForServers(operation, authenticated);
    if (caller && 'actor' in caller) refuseOtherRoles(operation, caller);
    const schema = (style === 'dispatch' && operation.dispatchInput) || operation.input;
    const asked = gameId === undefined ? input : { ...input, gameId };
    refuseNotServed(operation, asked);
    const key = keyOf(call);
    const isBatch = operation.auth === 'player-or-game';
    const isOfGuest = operation.kind === 'write' && wallet !== undefined && isGuestAddress(wallet);
    /** Puts in place what the handler needs beside the services, once the input is known to be right. */
    const prepare = async (parsed: object): Promise<object> => {
      const isForPlayer = operation.auth === 'player-or-server' && wallet !== undefined;
      if (server && isForPlayer && operation.kind === 'write') await authenticator.ensurePlayer(wallet);
      if (key === undefined && !isBatch && !isOfGuest) return onConnection(connection);
      const given = { ...onConnection(connection) };
      if (isOfGuest) given.db = guestDatabase(services.db, surroundings.runAsGuest, wallet);
      if (key !== undefined && game) {
        const isPlayer = caller !== null && 'session' in caller && caller.session !== null;
        const about = wallet ?? '';
        const of = { gameId: game.id, caller: isPlayer ? about : 'server', wallet: about };
        const claim = claimOf(key, { ...of, operation: operation.name, input: parsed });
        given.db = keyedDatabase(given.db, surroundings.runOnce, claim);
      }
      if (!isBatch) return given;
      const batch = { authenticated, caller: caller as BatchCaller, services: given };
      const count = async (calls: number) => limits.count(operation, limited, onLimit, calls);
      return { ...given, callTogether: executeTogether({ ...surroundings, authenticator }, batch, count) };
    };
    const form = style === 'dispatch' && operation.otherForm?.isUsed(asked) ? operation.otherForm : null;
    if (form) {
      const parsed = parseInput(form.input, asked);
      const request = { input: parsed as never, caller: caller as never };
      return form.handler(request, (await prepare(parsed as object)) as never);
    }
    const parsed = parseInput(schema, isForAdmin ? asked : withoutNulls(schema, asked));
    if (caller && 'actor' in caller) return executeAsAdmin(operation, parsed, caller, surroundings);
    const needsMore = server || connection || key !== undefined || isBatch || isOfGuest;
    const given = needsMore ? await prepare(parsed) : services;
    return operation.handler({ input: parsed as never, caller: caller as never }, given as never);
  };
}

/**
 * The idempotency key of a call that has use for one: writes by players and by games' servers.
 * @throws GantryError `input_invalid` when it is no key, or an administrator's operation is called with one
 */
function keyOf({ operation, input, idempotencyKey: header }: Call): string | undefined {
  const sent = header ?? input.idempotencyKey;
  if (sent === undefined || sent === null || sent === '') return undefined;
  if (operation.kind !== 'write' || operation.isRepeatable) return undefined;
  const { data: key, error } = idempotencyKey.safeParse(sent);
  if (key !== undefined && operation.auth !== 'admin') return key;
  const message = error?.issues[0]?.message ?? "is not served for administrators' operations: leave it out";
  const path = header === undefined ? 'idempotencyKey' : 'Idempotency-Key';
  throw new GantryError('input_invalid', `${path}: ${message}`, { fields: [{ path, message }] });
}

/**
 * Carries out an administrator's operation on an input that has been parsed. What changes something is
 * written to the audit log before it is done, and how it ended after.
 */
export async function executeAsAdmin(
  operation: AnyOperation,
  input: unknown,
  caller: Callers['admin'],
  { audit, services }: Pick<Surroundings, 'audit' | 'services'>,
): Promise<unknown> {
  const handle = () =>
    operation.handler({ input: input as never, caller: caller as never }, services as never);
  if (operation.kind === 'read') return handle();
  const shown = operation.auditInput ? operation.auditInput(input as never) : input;
  const entry = await audit.begin(caller, operation.name, shown);
  try {
    const answer = await handle();
    await audit.finish(entry, 'ok');
    return answer;
  } catch (error) {
    await audit.finish(entry, error instanceof GantryError ? error.reason : 'internal');
    throw error;
  }
}
