import type { z } from 'zod';
import { GantryError, invalidField } from '../core/errors.ts';
import { networkOf } from '../core/network-of.ts';
import { isGuestAddress } from '../core/schemas/fields.ts';
import type { Pause, Store } from '../core/storage/store.ts';
import { deleteGame } from '../features/administration/operations/games.ts';
import { findNamedGame, gamesBeingDeleted } from '../features/games/queries.ts';
import { gameBeingDeleted } from '../features/games/require-game.ts';
import { guestStore, type RunAsGuest } from '../features/guests/writes/guest-writes.ts';
import { type Claim, claimOf, idempotencyKey } from '../features/idempotency/claim.ts';
import type { RunOnce } from '../features/idempotency/commands.ts';
import { keyedStore } from '../features/idempotency/keyed-store.ts';
import type { AnyOperation, AuthKind, Callers } from '../features/operation.ts';
import { callsOf } from '../features/operation-cost.ts';
import { budgetOf } from '../features/sessions/channel-session.ts';
import { Turns } from '../runtime/turns.ts';
import { bearerToken } from './auth/admin-token.ts';
import { type Authenticated, type Authenticator, type Credentials, isOmitted } from './auth/authenticator.ts';
import { type BatchDependencies, executeBatch } from './execute-batch.ts';
import type { LimitedCaller, LimitState, RateLimits } from './limits/rate-limits.ts';
import { parseInput, refuseNotServed, refuseServerOnly, requireRole, withoutNulls } from './parse-input.ts';
import { checkUnknownFields, describeIgnored, type UnknownField } from './unknown-fields.ts';

/** The two forms of an input; see `Operation.dispatchInput`. */
export type CallStyle = 'dedicated' | 'dispatch';

export interface Call {
  operation: AnyOperation;
  style: CallStyle;
  /** An object as received, not validated. */
  input: Readonly<Record<string, unknown>>;
  credentials: Credentials;
  /** The input is the query of a GET, to which browsers and proxies add parameters: unknown ones are ignored. */
  isQuery?: boolean;
  /** The `Idempotency-Key` header; if omitted, the input's `idempotencyKey` is used. */
  idempotencyKey?: string | undefined;
  /** The client's address. */
  address: string;
  /** The live connection of the call, passed to operations that need one. */
  connection?: object | undefined;
  /** Called with the caller and the game once they are authenticated; if it throws, the call is refused. */
  onCaller?(caller: KnownCaller): void;
  /** Called with a message about fields that the operation does not know and ignores, if there are any. */
  onWarning?(message: string): void;
  /** Called with the state of the caller's rate limit after this call. */
  onLimit?(state: LimitState): void;
}

/** What transports know of an authenticated caller. */
export interface KnownCaller {
  gameId: string | undefined;
  wallet: string | undefined;
  /** The caller is the game's own server, acting for the player of this wallet if there is one. */
  isServer: boolean;
  /** Whose bytes these are, besides the game's; undefined: no player's. A game's server counts for its game alone. */
  budget: string | undefined;
}

/** Records administrators' operations. */
export interface AuditLog {
  /** Writes an entry before the operation runs, so that none goes unrecorded. Returns the entry's id. */
  begin(caller: Callers['admin'], operation: string, input: unknown): Promise<string>;
  /** `outcome` is `ok` or the error's reason. */
  finish(entryId: string, outcome: string): Promise<void>;
}

/** The services passed to handlers, as far as calls change them: `Services` of `server/declarations/operations.ts`. */
interface CallServices {
  readonly db: Store;
}

/** What is needed to execute operations, including the services passed to handlers. */
export interface ExecuteDependencies extends Omit<BatchDependencies, 'authenticator'> {
  audit: AuditLog;
  services: CallServices;
  runOnce: RunOnce;
  runAsGuest: RunAsGuest;
  /** Called with every field of a call that its operation ignores. */
  onIgnoredField(ignored: UnknownField & { operation: string; game: string | undefined }): void;
}

export type Execute = (call: Call) => Promise<unknown>;

/** Expensive reads in progress at the same time; only a database server can work on several. */
const readSlots = 4;
/** One expensive write at a time: no more share the transaction that all other writes wait for. */
const writeSlots = 1;
/** Writes that count as fewer calls do not take turns: they are about as quick as others. */
const expensiveWrite = 10;

/**
 * The steps of every call on every transport: authenticate, admit, authorize, parse, handle. A call is counted once
 * before its input is parsed, so that malformed ones are limited too, and as what it costs before it is handled.
 * Expensive calls take turns.
 */
export function createExecute(
  authenticator: Authenticator,
  limits: RateLimits,
  dependencies: ExecuteDependencies,
): Execute {
  const servicesFor = servicesByConnection(dependencies.services);
  const readTurns = new Turns(readSlots);
  const writeTurns = new Turns(writeSlots);

  return async function executeCall(call) {
    const { operation, address, onLimit } = call;

    // Authenticate. Any page can make an administrator's browser call without a token: that must not lock the
    // administrator out.
    const isForAdmin = operation.auth === 'admin';
    const hasNoToken = isForAdmin && bearerToken(call.credentials.authorization) === null;
    if (isForAdmin && !hasNoToken) await limits.refuseGuessing(address, onLimit);
    let authenticated: Authenticated;
    try {
      authenticated = await authenticator.authenticate(operation.auth, call.input, call.credentials);
    } catch (refused) {
      await limits.countRefused(operation.kind, address, hasNoToken ? null : refused, onLimit);
      throw refused;
    }
    const { caller } = authenticated;

    // Admit.
    const limited = limitedCaller(address, authenticated);
    call.onCaller?.({
      gameId: limited.game?.id,
      wallet: limited.wallet,
      isServer: limited.server !== undefined,
      budget: limited.server ? undefined : (limited.budget ?? limited.wallet),
    });
    const counting = limits.count(operation, limited, onLimit);
    if (counting) await counting;

    // Authorize.
    refuseServerOnly(operation, authenticated);
    if (isAdministrator(caller)) requireRole(operation, caller);

    // Parse.
    const named = withGameVersion(withNamedGame(call.input, authenticated), call);
    const received = lacksGame(operation, named)
      ? await withOwnGame(named, authenticated, call.credentials)
      : named;
    refuseNotServed(operation, received);
    const key = keyOf(call);
    const form =
      call.style === 'dispatch' && operation.otherForm?.isUsed(received) ? operation.otherForm : null;
    if (!form && call.isQuery !== true) {
      const ignored = checkUnknownFields(operation, schemaOf(call), call.input, authenticated);
      if (ignored.length > 0) reportIgnored(call, operation, ignored, limited.game?.id);
    }
    const input = form ? parseInput(form.input, received) : parseOwn(call, received);

    // Handle.
    if (isAdministrator(caller)) return executeAsAdmin(operation, input, caller, dependencies);
    if (operation.kind !== 'read' && !operation.goesOnInMaintenance) {
      const named = 'gameId' in input ? input.gameId : undefined;
      const looking = dependencies.refuseInMaintenance(authenticated.game, named);
      if (looking) await looking;
    }
    const handling = form ?? operation;
    const calls = callsOf(handling.cost, input);
    if (calls > 1) await limits.countRest(operation, limited, onLimit, calls);
    const services = servicesFor(call.connection);
    if (limited.server) await ensurePlayer(operation, limited.server.id, limited.wallet);
    const claim = key === undefined ? null : claimBy(key, operation, authenticated, input);
    const db = storeOf(operation, limited, claim);
    if (operation.deviceOf) await countDevice(operation.deviceOf(input, services), limited, onLimit);
    if (operation.auth === 'player-or-game' && caller && 'session' in caller) {
      const counting = {
        reportIgnored: (batched: AnyOperation, ignored: readonly UnknownField[]) =>
          reportIgnored(call, batched, ignored, limited.game?.id),
        async count(more: number) {
          if (more > 0) await limits.count(operation, limited, onLimit, more);
        },
        inTurn: <Result>(cost: number, work: () => Promise<Result>) => inTurn(operation, limited, cost, work),
      };
      const batch = { authenticated, caller, services: { ...services, db } };
      const runBatch = executeBatch({ ...dependencies, authenticator }, batch, counting);
      return handling.handler({ input, caller }, { ...batch.services, runBatch });
    }
    if (calls > 1) {
      const store = operation.kind === 'read' ? pausingStore(db, readTurns) : db;
      const work = () => handling.handler({ input, caller }, { ...services, db: store });
      return inTurn(operation, limited, calls, work);
    }
    return handling.handler({ input, caller }, db === services.db ? services : { ...services, db });
  };

  function reportIgnored(
    { onWarning }: Call,
    operation: AnyOperation,
    ignored: readonly UnknownField[],
    game: string | undefined,
  ): void {
    for (const one of ignored) dependencies.onIgnoredField({ operation: operation.name, game, ...one });
    onWarning?.(ignored.map((one) => describeIgnored(operation, one)).join('; '));
  }

  /** The input of a public read, with the game of the caller's secret or token, if the caller has one. */
  async function withOwnGame(
    input: Call['input'],
    { game }: Authenticated,
    { launcherJwt }: Credentials,
  ): Promise<Call['input']> {
    if (game) return { ...input, gameId: game.id };
    if (isOmitted(launcherJwt)) return input;
    const { game: own } = await authenticator.liveSession(launcherJwt);
    return { ...input, gameId: own.id };
  }

  /** Counts a sign-in with a device's secret: a wrong one as a refusal, once it was looked up. */
  async function countDevice(
    finding: Promise<string>,
    { address }: LimitedCaller,
    onLimit: Call['onLimit'],
  ): Promise<void> {
    const deviceId = await finding.catch(async (refused: unknown) => {
      await limits.countRefused('sign-in', address, refused, onLimit);
      throw refused;
    });
    await limits.countDevice(deviceId, address, onLimit);
  }

  /** Does expensive work when it is the caller's turn. */
  function inTurn<Result>(
    { kind }: AnyOperation,
    { server, budget, wallet, address }: LimitedCaller,
    calls: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (kind !== 'read' && calls < expensiveWrite) return work();
    const turns = kind === 'read' ? readTurns : writeTurns;
    return turns.take(server?.id ?? budget ?? wallet ?? networkOf(address), work);
  }

  /** A player whom a game's server writes for is created as by a sign-in. */
  async function ensurePlayer(
    { auth, kind }: AnyOperation,
    gameId: string,
    wallet: string | undefined,
  ): Promise<void> {
    if (auth === 'player-or-server' && kind === 'write' && wallet !== undefined) {
      await authenticator.ensurePlayer({ gameId, wallet });
    }
  }

  /** The call's store: the writes of a guest end with the upgrade, and a write with a key runs once. */
  function storeOf({ kind }: AnyOperation, { wallet }: LimitedCaller, claim: Claim | null): Store {
    const isByGuest = kind === 'write' && wallet !== undefined && isGuestAddress(wallet);
    const store = isByGuest
      ? guestStore(dependencies.services.db, dependencies.runAsGuest, wallet)
      : dependencies.services.db;
    return claim ? keyedStore(store, dependencies.runOnce, claim) : store;
  }
}

/** The services with a call's connection, if it has one; built once per connection. */
function servicesByConnection(services: CallServices): (connection: object | undefined) => CallServices {
  const byConnection = new WeakMap<object, CallServices>();
  return (connection) => {
    if (!connection) return services;
    const known = byConnection.get(connection);
    if (known) return known;
    const extended = Object.freeze({ ...services, connection });
    byConnection.set(connection, extended);
    return extended;
  };
}

/** What limits depend on; the later steps use it too. */
function limitedCaller(address: string, { caller, game, server }: Authenticated): LimitedCaller {
  return {
    address,
    wallet: (caller && 'wallet' in caller ? caller.wallet : null) ?? undefined,
    budget: caller && 'session' in caller && caller.session ? budgetOf(caller.session) : undefined,
    administratorId: (isAdministrator(caller) ? caller.administratorId : null) ?? undefined,
    game: game ?? undefined,
    server: server ?? undefined,
  };
}

function isAdministrator(caller: Callers[AuthKind]): caller is Callers['admin'] {
  return caller !== null && 'actor' in caller;
}

/** The input, with the game that the URL names. */
function withNamedGame(input: Call['input'], { gameId }: Authenticated): Call['input'] {
  return gameId === undefined ? input : { ...input, gameId };
}

/** The input, with the version of the game that the call was sent with, if the operation wants to know it. */
function withGameVersion(input: Call['input'], { operation, credentials }: Call): Call['input'] {
  const { gameVersion } = credentials;
  if (!('gameVersion' in operation.input.shape) || typeof gameVersion !== 'string') return input;
  return isOmitted(input.gameVersion) ? { ...input, gameVersion } : input;
}

/** Whether a public operation requires a game, and the input has none. */
function lacksGame({ auth, input: { shape } }: AnyOperation, input: Call['input']): boolean {
  if (auth !== 'public' || !isOmitted(input.gameId)) return false;
  const field: z.ZodType | undefined = shape.gameId;
  return field !== undefined && !field.safeParse(undefined).success;
}

/** The schema of the operation's own form of input. */
function schemaOf({ operation, style }: Call): z.ZodObject {
  return (style === 'dispatch' && operation.dispatchInput) || operation.input;
}

/** Parses the operation's own form of input. @throws GantryError 400 */
function parseOwn(call: Call, received: Call['input']): object {
  const schema = schemaOf(call);
  return parseInput(schema, call.operation.auth === 'admin' ? received : withoutNulls(schema, received));
}

/** The claim on a key, which belongs to a player, or to a game's server; null without a game. */
function claimBy(
  key: string,
  { name: operation }: AnyOperation,
  { caller, game }: Authenticated,
  input: object,
): Claim | null {
  if (!game) return null;
  const wallet = (caller && 'wallet' in caller ? caller.wallet : null) ?? '';
  const isPlayer = caller !== null && 'session' in caller && caller.session !== null;
  return claimOf(key, { gameId: game.id, caller: isPlayer ? wallet : 'server', wallet, operation, input });
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
  const message = error?.issues[0]?.message ?? "is not supported for administrators' operations: omit it";
  const path = header === undefined ? 'idempotencyKey' : 'Idempotency-Key';
  throw invalidField(path, message);
}

/**
 * Executes an administrator's operation with a parsed input, in which a game's slug stands for its id. Writes are
 * recorded in the audit log before they run, and their outcome after. A game that is being deleted is not written to: its
 * rows could be left behind.
 * @throws GantryError `game_unknown`, and the operation's own
 */
export async function executeAsAdmin(
  operation: AnyOperation,
  parsed: object,
  caller: Callers['admin'],
  { audit, services }: Pick<ExecuteDependencies, 'audit' | 'services'>,
): Promise<unknown> {
  const named =
    'gameId' in parsed && typeof parsed.gameId === 'string'
      ? await services.db.read(findNamedGame, parsed.gameId)
      : null;
  const input = named ? { ...parsed, gameId: named.id } : parsed;
  const handle = () => operation.handler({ input, caller }, services);
  if (operation.kind === 'read') return handle();
  const isDeleted = named !== null && (await services.db.read(gamesBeingDeleted)).has(named.id);
  if (isDeleted && operation.name !== deleteGame.name) throw gameBeingDeleted();
  const shown = operation.auditInput ? operation.auditInput(input) : input;
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

/** A store for one expensive call: between its reads, and within them, others may run. */
function pausingStore(store: Store, pause: Pause): Store {
  return {
    async read(query, ...args) {
      if (store.readInParts) return store.readInParts(pause, query, ...args);
      const due = pause.pause();
      if (due) await due;
      return store.read(query, ...args);
    },
    write: (command, ...args) => store.write(command, ...args),
    now: () => store.now(),
  };
}
