import { bearerToken } from '../auth/admin-token.ts';
import type { Authenticated, Authenticator, Callers, Credentials } from '../auth/authenticator.ts';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import type { Store } from '../core/storage/store.ts';
import { GantryError } from '../errors.ts';
import type { RunAsGuest } from '../guest-writes/commands.ts';
import { guestStore } from '../guest-writes/guest-database.ts';
import { claimOf, idempotencyKey } from '../idempotency/claim.ts';
import type { RunOnce } from '../idempotency/commands.ts';
import { keyedStore } from '../idempotency/keyed-database.ts';
import type { LimitState, RateLimits } from '../limits/rate-limits.ts';
import type { AnyOperation } from './define.ts';
import { type BatchCaller, type BatchParts, executeBatch } from './execute-batch.ts';
import { parseInput, refuseNotServed, refuseServerOnly, requireRole } from './parse-input.ts';
import { withoutNulls } from './without-nulls.ts';

/** The two forms of an input; see `Operation.dispatchInput`. */
export type CallStyle = 'dedicated' | 'dispatch';

export interface Call {
  operation: AnyOperation;
  style: CallStyle;
  /** An object as received, not validated. */
  input: Readonly<Record<string, unknown>>;
  credentials: Credentials;
  /** The `Idempotency-Key` header; if omitted, the input's `idempotencyKey` is used. */
  idempotencyKey?: string | undefined;
  /** The client's address. */
  address: string;
  /** The live connection of the call, passed to operations that need one. */
  connection?: object | undefined;
  /** Called with the caller and the game once they are authenticated; if it throws, the call is refused. */
  onCaller?(caller: KnownCaller): void;
  /** Called with the state of the caller's rate limit after this call. */
  onLimit?(state: LimitState): void;
}

/** What transports know of an authenticated caller. */
export interface KnownCaller {
  gameId: string | undefined;
  wallet: string | undefined;
  /** The caller is the game's own server, acting for the player of this wallet if there is one. */
  isServer: boolean;
}

/** Records administrators' operations. */
export interface AuditLog {
  /** Writes an entry before the operation runs, so that none goes unrecorded. Returns the entry's id. */
  begin(caller: Callers['admin'], operation: string, input: unknown): Promise<string>;
  /** `outcome` is `ok` or the error's reason. */
  finish(entryId: string, outcome: string): Promise<void>;
}

/** What is needed to execute operations, including the services passed to handlers. */
export interface ExecuteParts {
  audit: AuditLog;
  services: { db: Store };
  runOnce: RunOnce;
  runAsGuest: RunAsGuest;
  runAll: BatchParts['runAll'];
  /** Finds an operation of the service `launcher` by name. */
  find: BatchParts['find'];
}

export type Execute = (call: Call) => Promise<unknown>;

/** The pipeline of every call on every transport: authenticate, limit, parse, handle. */
export function createExecute(
  authenticator: Authenticator,
  limits: RateLimits,
  parts: ExecuteParts,
): Execute {
  const { services } = parts;
  const byConnection = new WeakMap<object, typeof services>();
  /** The services with the call's connection; built once per connection. */
  const servicesFor = (connection: object | undefined): typeof services => {
    if (!connection) return services;
    const known = byConnection.get(connection);
    if (known) return known;
    const extended = Object.freeze({ ...services, connection });
    byConnection.set(connection, extended);
    return extended;
  };
  return async (call) => {
    const { operation, style, input, credentials, address, connection, onCaller, onLimit } = call;
    const isForAdmin = operation.auth === 'admin';
    // Any page can make an administrator's browser call without a token: that must not lock the administrator out.
    const hasNoToken = isForAdmin && bearerToken(credentials.authorization) === null;
    if (isForAdmin && !hasNoToken) await limits.refuseGuessing(address, onLimit);
    let authenticated: Authenticated;
    try {
      authenticated = await authenticator.authenticate(operation.auth, input, credentials);
    } catch (refused) {
      await limits.countRefused(operation.kind, address, hasNoToken ? null : refused, onLimit);
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
    refuseServerOnly(operation, authenticated);
    if (caller && 'actor' in caller) requireRole(operation, caller);
    const schema = (style === 'dispatch' && operation.dispatchInput) || operation.input;
    const fullInput = gameId === undefined ? input : { ...input, gameId };
    refuseNotServed(operation, fullInput);
    const key = keyOf(call);
    const isBatch = operation.auth === 'player-or-game';
    const isGuestWrite = operation.kind === 'write' && wallet !== undefined && isGuestAddress(wallet);
    /** Prepares what the handler needs beyond the shared services, once the input is valid. */
    const prepare = async (parsed: object): Promise<object> => {
      const isForPlayer = operation.auth === 'player-or-server' && wallet !== undefined;
      if (server && isForPlayer && operation.kind === 'write') await authenticator.ensurePlayer(wallet);
      if (key === undefined && !isBatch && !isGuestWrite) return servicesFor(connection);
      const handlerServices = { ...servicesFor(connection) };
      if (isGuestWrite) handlerServices.db = guestStore(services.db, parts.runAsGuest, wallet);
      if (key !== undefined && game) {
        const isPlayer = caller !== null && 'session' in caller && caller.session !== null;
        const player = wallet ?? '';
        const scope = { gameId: game.id, caller: isPlayer ? player : 'server', wallet: player };
        const claim = claimOf(key, { ...scope, operation: operation.name, input: parsed });
        handlerServices.db = keyedStore(handlerServices.db, parts.runOnce, claim);
      }
      if (!isBatch) return handlerServices;
      const batch = { authenticated, caller: caller as BatchCaller, services: handlerServices };
      const count = async (calls: number) => limits.count(operation, limited, onLimit, calls);
      return { ...handlerServices, runBatch: executeBatch({ ...parts, authenticator }, batch, count) };
    };
    const form = style === 'dispatch' && operation.otherForm?.isUsed(fullInput) ? operation.otherForm : null;
    if (form) {
      const parsed = parseInput(form.input, fullInput);
      const request = { input: parsed as never, caller: caller as never };
      return form.handler(request, (await prepare(parsed as object)) as never);
    }
    const parsed = parseInput(schema, isForAdmin ? fullInput : withoutNulls(schema, fullInput));
    if (caller && 'actor' in caller) return executeAsAdmin(operation, parsed, caller, parts);
    const needsMore = server || connection || key !== undefined || isBatch || isGuestWrite;
    const handlerServices = needsMore ? await prepare(parsed) : services;
    return operation.handler({ input: parsed as never, caller: caller as never }, handlerServices as never);
  };
}

/**
 * The idempotency key of a write by a player or a game's server; undefined for all other calls.
 * @throws GantryError `input_invalid` when the key is malformed, or an administrator's write is called with one
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
 * Executes an administrator's operation with a parsed input. Writes are recorded in the audit log before they run, and
 * their outcome after.
 */
export async function executeAsAdmin(
  operation: AnyOperation,
  input: unknown,
  caller: Callers['admin'],
  { audit, services }: Pick<ExecuteParts, 'audit' | 'services'>,
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
