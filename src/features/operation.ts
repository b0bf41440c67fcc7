import type { z } from 'zod';
import type { RateLimit } from '../core/rate-limit.ts';
import type { AllowedRoles } from '../core/schemas/admin-role.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { AdminCaller } from './administration/administrators/administrator.ts';
import type { Game } from './games/game.ts';
import type { AnyCost, Cost } from './operation-cost.ts';
import type { ChannelSession, SessionDetails } from './sessions/channel-session.ts';

/**
 * The services that operations belong to, as Feathers clients name them. Every operation is also on `launcher`, except
 * those of `admin`, which have only paths under `/admin`.
 */
export const serviceDescriptions = {
  launcher: 'Players, games and their servers: states, sessions, sign-in, guests, moderation and more.',
  scores: 'Scores, leaderboards and seasons.',
  activities: 'What players did, shown to other players.',
  'message-channels': 'Channels of two or more players, and their participants.',
  'chat-messages': 'Messages in channels, reactions to them and read markers.',
  'realtime-events':
    "Subscriptions of a connection to games' public streams and friends, and the player's own presence.",
  games: 'Player counts, in the form that clients of basement.fun use.',
  profiles: "Players' playtime, in the form that clients of basement.fun use.",
  admin: 'Administration, with the admin token or the token of a named administrator.',
} as const;
export type ServiceName = keyof typeof serviceDescriptions;

/** A topic under which documents list operations. */
export interface Topic {
  title: string;
  /** Its page of the manual, below `/docs/`: `notifications#activities`. */
  page: string;
  /** Names of operations. */
  operations: readonly string[];
}

/** `read` has no side effects and may be called with GET; `sign-in` is for callers without credentials. */
export type OperationKind = 'read' | 'write' | 'sign-in';

type Input = z.ZodObject;

/** What every operation declares, whatever callers it has. */
interface Declaration<
  Name extends string,
  Auth extends AuthKind,
  In extends Input,
  Out extends z.ZodType,
  Needs extends object,
> {
  /** camelCase: the `X-Service-Method`, the socket's event and, in kebab-case, the dedicated path. */
  name: Name;
  /** Other names of the operation; they work wherever the name does, except as paths under `/launcher`. */
  aliases?: readonly string[];
  /** Earlier names, which work as aliases do, with the date since when they are deprecated: `2026-11-26`. */
  deprecatedNames?: Readonly<Record<string, string>>;
  /** Names on a single service, used by basement.fun's clients. */
  alsoOn?: readonly { service: ServiceName; name: string }[];
  /** The form of its input and output that those clients use. */
  otherForm?: AnyOtherForm;
  /**
   * Fields of those clients that are not supported, each with the reason: calls with one are refused, not partly
   * executed.
   */
  unsupportedField?: Readonly<Record<string, string>>;
  kind: OperationKind;
  summary: string;
  /** Excludes `launcherJwt`, which authentication consumes. */
  input: In;
  /** The input of method dispatch and the socket, where INTERFACE.md allows more than on the dedicated path. */
  dispatchInput?: z.ZodObject<z.core.$ZodLooseShape, z.core.$strip> & z.ZodType<z.output<In>>;
  output: Out;
  /** What a call counts as against the rate limits, if its work grows with its input or is always large; default 1. */
  cost?: Cost<z.output<In>>;
  /** Objects in its input may be `LargeValue`s of `features/states/large-input.ts`, where `dispatchInput` accepts anything. */
  takesLargeValues?: true;
  /** A limit of its own for each player, beside the others. */
  perPlayer?: RateLimit;
  /**
   * For a sign-in with the secret of a device: the device's id, from an indexed read. A wrong secret counts as a refusal,
   * and a valid one against the limits of its device and address, before the handler runs.
   * @throws GantryError `device_unknown`
   */
  deviceOf?(input: z.output<In>, services: Needs): Promise<string>;
  /**
   * Another operation that writes the same data: if a game restricts that one to its server, this one is restricted
   * too. Its `auth` is `player-or-server`, so that the server can call it.
   */
  serverOnlyWith?: string;
  /** An idempotent write: its idempotency keys are ignored. */
  isRepeatable?: true;
  /** A write that goes on during maintenance: it ends or keeps a session, or stores nothing. */
  goesOnInMaintenance?: true;
  /** A separate path for GET, with the query as input. Feathers clients call it with `find`. */
  getPath?: `/${string}`;
  /** The part of an administrator's input that the audit log stores; all of it by default. */
  auditInput?(input: z.output<In>): unknown;
  /**
   * The type of `services` declares what the handler needs; `Services` of `server/declarations/operations.ts` is the intersection
   * of all operations' needs. `services.connection` is the call's live connection, if any.
   */
  handler(request: { input: z.output<In>; caller: Callers[Auth] }, services: Needs): Promise<z.input<Out>>;
}

/** An operation's declaration. Routes, documents and SDKs are derived from it. */
export interface Operation<
  Name extends string = string,
  Auth extends AuthKind = AuthKind,
  In extends Input = Input,
  Out extends z.ZodType = z.ZodType,
  Needs extends object = object,
> extends Declaration<Name, Auth, In, Out, Needs> {
  service: ServiceName;
  /**
   * `player-or-server`: a game's server may call it too. Such a write must be in `serverOnlyOperations` of
   * `features/games/game.ts` or have `serverOnlyWith`; none may have an input named `wallet`, which is the player the server
   * calls for.
   */
  auth: Auth;
  /**
   * The roles that may call an administrator's operation. Required by the types; without them every call is refused.
   */
  roles?: AllowedRoles;
}

/**
 * An operation whose own types are forgotten: `defineOperation` has checked them. Its methods are declared as methods,
 * whose parameters TypeScript compares in both directions, so every operation is one of these. `handler` must
 * be called with input parsed by the same operation's schema, a caller that its `auth` admits, and the services of
 * `server/declarations/operations.ts`.
 */
export type AnyOperation = Omit<Operation, 'handler' | 'dispatchInput' | 'auditInput' | 'cost' | 'deviceOf'> &
  AnyHandler & {
    dispatchInput?: z.ZodObject;
    cost?: AnyCost;
    auditInput?(input: object): unknown;
    deviceOf?(input: object, services: object): Promise<string>;
  };

/** Declares an operation for players, games or anyone; `Registry` finds it by its names. */
export function defineOperation<
  const Name extends string,
  const Auth extends Exclude<AuthKind, 'admin'>,
  In extends Input,
  Out extends z.ZodType,
  Needs extends object,
>(
  operation: Operation<Name, Auth, In, Out, Needs> & { roles?: never },
): Operation<Name, Auth, In, Out, Needs> {
  return operation;
}

/** Declares an administrators' operation, and the roles that may call it. */
export function defineAdminOperation<
  const Name extends string,
  In extends Input,
  Out extends z.ZodType,
  Needs extends object,
>(
  operation: Declaration<Name, 'admin', In, Out, Needs> & { roles: AllowedRoles },
): Operation<Name, 'admin', In, Out, Needs> {
  return { service: 'admin', auth: 'admin', ...operation };
}

/** Whether it requires a player's token, so that a game's server cannot call it. */
export function takesToken({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player' || auth === 'session';
}

/** Whether it may be called with a player's token. */
export function acceptsToken(operation: Pick<AnyOperation, 'auth'>): boolean {
  return takesToken(operation) || isOpenToServers(operation) || operation.auth === 'player-or-anyone';
}

/** Whether a game's server may call it on behalf of a player. */
export function isOpenToServers({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player-or-server' || auth === 'player-or-game';
}

/** The player that a call acts for, in a game. The wallet is lowercase. */
export interface PlayerCaller {
  game: Game;
  wallet: string;
}

/** A player, with the session of their launcher token. */
export interface SessionCaller extends PlayerCaller, SessionDetails {
  /** Whether the call also has the game's secret. */
  hasSecret: boolean;
}

/**
 * The kinds of authentication, each with the `caller` that its handlers receive:
 * - `player`: a launcher token with a live session → its session, player and game
 * - `session`: as `player`, but the session may have ended
 * - `player-or-server`: as `player`; or the game's own server, with the game's secret and the player's `wallet` → the
 *   game and the wallet; the session is null for a server
 * - `player-or-game`: the same, but a server need not name a player
 * - `game`: a caller that names a game by its secret, `gameId` or an allowed origin → the game, and the page
 * - `game-secret`: a caller with a game's secret → the game
 * - `sign-in`: a caller with the `channelId` of a sign-in → null
 * - `player-or-anyone`: as `player`; or anyone without a token → null
 * - `public`: anyone → null
 * - `admin`: a caller with an administrator's token, or the command line on the data directory → the administrator and
 *   role
 */
export interface Callers {
  player: SessionCaller;
  session: SessionCaller;
  'player-or-server': PlayerCaller & { session: ChannelSession | null };
  'player-or-game': SessionCaller | { game: Game; wallet: string | null; session: null };
  game: { game: Game; page: string | null };
  'game-secret': { game: Game };
  'sign-in': null;
  'player-or-anyone': SessionCaller | null;
  public: null;
  admin: AdminCaller;
}
export type AuthKind = keyof Callers;

/** The player of the call: the token's, or the one named by the game's server. */
export function ownerOf({ game, wallet }: PlayerCaller): Owner {
  return { gameId: game.id, wallet };
}

/**
 * The form in which basement.fun's clients call an operation, where it differs from ours; accepted by method dispatch
 * and on the socket. Taken from the schemas of its npm package, `@b3dotfun/basement-api`.
 */
interface OtherForm<
  Auth extends AuthKind,
  In extends z.ZodType<object>,
  Out extends z.ZodType,
  Needs extends object,
> {
  /** Used only for the caller's type. */
  auth: Auth;
  /** Whether an input, not validated yet, has this form. */
  isUsed(input: Readonly<Record<string, unknown>>): boolean;
  input: In;
  output: Out;
  cost?: Cost<z.output<In>>;
  handler(request: { input: z.output<In>; caller: Callers[Auth] }, services: Needs): Promise<z.input<Out>>;
}

/** The input of an operation whose data those clients send as a text instead of an object; null: it takes none. */
export function bareText({ otherForm }: AnyOperation, data: unknown): { asText: string } | null {
  return typeof data === 'string' && otherForm?.isUsed({ asText: data }) ? { asText: data } : null;
}

/** A handler whose own types are forgotten; see `AnyOperation`. */
export interface AnyHandler {
  handler(request: { input: object; caller: Callers[AuthKind] }, services: object): Promise<unknown>;
}

/** A form whose types were checked by `defineOtherForm`. */
export interface AnyOtherForm extends AnyHandler {
  isUsed(input: Readonly<Record<string, unknown>>): boolean;
  input: z.ZodType<object>;
  output: z.ZodType;
  cost?: AnyCost;
}

export function defineOtherForm<
  const Auth extends AuthKind,
  In extends z.ZodType<object>,
  Out extends z.ZodType,
  Needs extends object,
>({ auth: _, ...form }: OtherForm<Auth, In, Out, Needs>): AnyOtherForm {
  return form;
}

/** Looks operations up by the names callers use. Only registered names are found, never `constructor`. */
export class Registry {
  readonly operations: readonly AnyOperation[];
  readonly #byMethod = new Map<string, AnyOperation>();
  readonly #byAdminPath = new Map<string, AnyOperation>();
  readonly #services = new Set<string>(['launcher']);

  constructor(list: readonly AnyOperation[]) {
    this.operations = list;
    for (const operation of list) {
      if (operation.service === 'admin') {
        for (const name of namesOf(operation)) {
          this.#add(this.#byAdminPath, kebabCase(name), operation);
        }
        continue;
      }
      this.#services.add(operation.service);
      for (const service of new Set<ServiceName>([operation.service, 'launcher'])) {
        for (const name of namesOf(operation)) {
          this.#add(this.#byMethod, `${service} ${name}`, operation);
        }
      }
      for (const { service, name } of operation.alsoOn ?? []) {
        this.#services.add(service);
        this.#add(this.#byMethod, `${service} ${name}`, operation);
      }
      if (operation.getPath) this.#add(this.#byMethod, `${operation.service} find`, operation);
    }
  }

  /** The names of the services, which are also the dispatch paths. */
  get services(): ReadonlySet<string> {
    return this.#services;
  }

  /** The operations that a service offers by method dispatch, each with its names there. */
  offered(service: string): { operation: AnyOperation; names: string[] }[] {
    return this.operations.flatMap((operation) => {
      if (operation.service === 'admin') return [];
      const own = service === 'launcher' || operation.service === service;
      const additional = (operation.alsoOn ?? []).filter((one) => one.service === service);
      const names = [
        ...(own ? [operation.name, ...(operation.aliases ?? [])] : []),
        ...additional.map(({ name }) => name),
      ];
      return names.length === 0 ? [] : [{ operation, names }];
    });
  }

  /** The operation of a service by its method name, as used on the socket and in `X-Service-Method`. */
  method(service: string, name: string): AnyOperation | undefined {
    return this.#byMethod.get(`${service} ${name}`);
  }

  /** The operation of the administrators' path `/admin/<name>`. */
  adminPath(name: string): AnyOperation | undefined {
    return this.#byAdminPath.get(name);
  }

  #add(map: Map<string, AnyOperation>, key: string, operation: AnyOperation): void {
    if (map.has(key)) throw new Error(`two operations are named ${key}`);
    map.set(key, operation);
  }
}

/** All names of an operation, its own first. */
export function namesOf({ name, aliases = [], deprecatedNames = {} }: AnyOperation): string[] {
  return [name, ...aliases, ...Object.keys(deprecatedNames)];
}

/** `setUserScore` → `set-user-score` */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
