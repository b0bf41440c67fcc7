import type { z } from 'zod';
import type { AuthKind, Callers } from '../auth/authenticator.ts';
import type { AllowedRoles } from '../core/schemas/admin-role.ts';
import type { AnyOtherForm } from './other-form.ts';

/** The services operations belong to, as Feathers clients name them; every operation is on `launcher` too, save
 * those of `admin`, which have paths under `/admin` and nothing else. */
export type ServiceName =
  | 'launcher'
  | 'admin'
  | 'scores'
  | 'activities'
  | 'message-channels'
  | 'chat-messages'
  | 'realtime-events';

/** `read` changes nothing and may be called with GET; `sign-in` is for callers who are nobody yet. */
export type OperationKind = 'read' | 'write' | 'sign-in';

type Input = z.ZodObject;

/** One thing a caller can ask for. Everything that is said of it anywhere is derived from this. */
export interface Operation<
  Name extends string = string,
  Auth extends AuthKind = AuthKind,
  In extends Input = Input,
  Out extends z.ZodType = z.ZodType,
  Needs extends object = object,
> {
  /** camelCase: the `X-Service-Method`, the socket's event and, in kebab-case, the dedicated path. */
  name: Name;
  service: ServiceName;
  /** Other names clients know it by; they work wherever the name does, except as dedicated paths. */
  aliases?: readonly string[];
  /** Names on one service only, which clients of basement.fun know it by. */
  alsoOn?: readonly { service: ServiceName; name: string }[];
  /** A form of its input and output that those clients use. */
  otherForm?: AnyOtherForm;
  /** Fields that those clients may send and that are not served, and why: a call with one is refused, not half done. */
  notServed?: Readonly<Record<string, string>>;
  kind: OperationKind;
  summary: string;
  /**
   * `player-or-server`: a game's server calls it too. Such a write is named in `serverOnlyOperations` of `games/game.ts`, or
   * has `serverOnlyWith`; none has an input called `wallet`, which says whom the server calls about.
   */
  auth: Auth;
  /** Of an administrator's operation: the roles that may call it. Without them it does not compile, and nobody may. */
  roles?: AllowedRoles;
  /** Without `launcherJwt`, which authentication has taken by then. */
  input: In;
  /** What method dispatch and the socket accept, where INTERFACE.md allows them more than the dedicated path. */
  dispatchInput?: z.ZodObject<z.core.$ZodLooseShape, z.core.$strip> & z.ZodType<z.output<In>>;
  output: Out;
  /** An object in its input may come as a `LargeValue` of `states/large-input.ts`, where `dispatchInput` takes anything. */
  takesLargeValues?: true;
  /** Another way to write what this operation writes: where a game leaves that one to its server, this one is left to it too. */
  serverOnlyWith?: string;
  /** A write that may be done again and changes nothing more: it is not remembered under an idempotency key. */
  isRepeatable?: true;
  /** A path of its own, called with GET; the input is the query. Feathers clients reach it with `find`. */
  getPath?: `/${string}`;
  /** What the audit log keeps of an administrator's input; left out, all of it. */
  auditInput?(input: z.output<In>): unknown;
  /**
   * `services` holds what the handler says it needs by the type of this parameter: every operation's needs
   * together are `Services` of `catalogue/operations.ts`. `connection` among them is the live connection the
   * call came over, if any.
   */
  handler(request: { input: z.output<In>; caller: Callers[Auth] }, services: Needs): Promise<z.input<Out>>;
}

/** An operation whose types have been checked where it was defined. */
// The handler's parameter types differ from one operation to the next, and `never` stands for them all.
export type AnyOperation = Omit<Operation, 'handler' | 'dispatchInput' | 'auditInput'> & {
  dispatchInput?: z.ZodObject;
  auditInput?(input: never): unknown;
  handler(request: { input: never; caller: never }, services: never): Promise<unknown>;
};

/** Roles go with administrators' operations, and only with these. */
type RolesOf<Auth extends AuthKind> = [Auth] extends ['admin'] ? { roles: AllowedRoles } : { roles?: never };

/** Declares an operation. Where it goes from there: `registry.ts`. */
export function defineOperation<
  const Name extends string,
  const Auth extends AuthKind,
  In extends Input,
  Out extends z.ZodType,
  Needs extends object,
>(
  operation: Operation<Name, Auth, In, Out, Needs> & RolesOf<NoInfer<Auth>>,
): Operation<Name, Auth, In, Out, Needs> {
  return operation;
}
