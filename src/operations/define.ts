import type { z } from 'zod';
import type { AuthKind, Callers } from '../auth/authenticator.ts';
import type { ContractWallets } from '../auth/contract-wallets.ts';
import type { SecretBox } from '../auth/game-secret.ts';
import type { LauncherTokens } from '../auth/launcher-token.ts';
import type { Signals } from '../events/signals.ts';
import type { Figures } from '../figures/figures.ts';
import type { Links } from '../links.ts';
import type { Presence } from '../presence/presence.ts';
import type { RuleChains } from '../rules/chain/rule-chains.ts';
import type { StateReader } from '../states/state-reader.ts';
import type { Store } from '../store/store.ts';
import type { WebhookSender } from '../webhooks/webhook-sender.ts';
import type { Connection } from './connection.ts';

/** What handlers work with. */
export interface Services {
  store: Store;
  presence: Presence;
  tokens: LauncherTokens;
  links: Links;
  contractWallets: ContractWallets;
  ruleChains: RuleChains;
  /** Seals the secrets of games and webhooks. */
  box: SecretBox;
  signals: Signals;
  figures: Figures;
  /** Reads states sent as text. */
  states: StateReader;
  webhookSender: WebhookSender;
  /** How long a new channel session lasts, in milliseconds. */
  sessionLifetimeMs: number;
}

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
> {
  /** camelCase: the `X-Service-Method`, the socket's event and, in kebab-case, the dedicated path. */
  name: Name;
  service: ServiceName;
  /** Other names clients know it by; they work wherever the name does, except as dedicated paths. */
  aliases?: readonly string[];
  kind: OperationKind;
  summary: string;
  auth: Auth;
  /** Without `launcherJwt`, which authentication has taken by then. */
  input: In;
  /** What method dispatch and the socket accept, where INTERFACE.md allows them more than the dedicated path. */
  dispatchInput?: z.ZodObject<z.core.$ZodLooseShape, z.core.$strip> & z.ZodType<z.output<In>>;
  output: Out;
  /** A path of its own, called with GET; the input is the query. Feathers clients reach it with `find`. */
  getPath?: `/${string}`;
  /** What the audit log keeps of an administrator's input; left out, all of it. */
  auditInput?(input: z.output<In>): unknown;
  handler(
    request: { input: z.output<In>; caller: Callers[Auth]; connection?: Connection | undefined },
    services: Services,
  ): Promise<z.input<Out>>;
}

/** An operation whose types have been checked where it was defined. */
// The handler's parameter types differ from one operation to the next, and `never` stands for them all.
export type AnyOperation = Omit<Operation, 'handler' | 'dispatchInput' | 'auditInput'> & {
  dispatchInput?: z.ZodObject;
  auditInput?(input: never): unknown;
  handler(
    request: { input: never; caller: never; connection?: Connection | undefined },
    services: Services,
  ): Promise<unknown>;
};

/** Declares an operation. Where it goes from there: `registry.ts`. */
export function defineOperation<
  const Name extends string,
  const Auth extends AuthKind,
  In extends Input,
  Out extends z.ZodType,
>(operation: Operation<Name, Auth, In, Out>): Operation<Name, Auth, In, Out> {
  return operation;
}
