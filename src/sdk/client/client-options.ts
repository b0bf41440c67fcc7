import type { Cursor } from './cursors.ts';
import type { GameServer } from './http-call.ts';
import type { SetStatusInput } from './operation-types.ts';
import type { Player, SignedIn } from './player.ts';
import type { Store } from './store.ts';

export interface ClientOptions extends GameServer {
  /** Without a token, only operations that need none can be called, and no events are received. */
  launcherJwt?: string;
  /**
   * When the session of `launcherJwt` ends, in Unix milliseconds, if its player opened it with a wallet or a device: it
   * is renewed before.
   */
  expiresAt?: number | undefined;
  /** Whose session it is. */
  player?: Player | undefined;
  /**
   * Called when the session has ended because it expired: returns a new session of the same player, or its token; null:
   * the client has ended.
   */
  renew?: (() => Promise<string | SignedIn | null>) | undefined;
  /** For a game's own server: calls name their player, see `forPlayer`. Never ship it to players. */
  gameSecret?: string;
  /** Saved from `client.cursors` earlier: events missed since then are replayed. */
  cursors?: Readonly<Record<string, Cursor>>;
  /** Of a launcher: the status before the first `setStatus`; an invisible player is never shown. */
  status?: SetStatusInput | undefined;
  /** What the game says of its build, for rules of its config with a `label`, such as `beta` or `android`. */
  label?: string | undefined;
  /** Persists one player's cursors, handled notifications and queued calls across restarts. */
  store?: Store | undefined;
  /** The transport of calls; events always arrive over the socket. Default `socket`. */
  callOver?: 'socket' | 'http';
  /**
   * Names the player to proxies, with `X-Gantry-Player` for calls over HTTP and `?player=` for the socket, so that they can
   * keep a player on one of several nodes. The server ignores it. Default false.
   */
  routeByPlayer?: boolean;
  /** The timeout of a call, in milliseconds. Default 15,000. */
  timeoutMs?: number;
  /**
   * The maximum number of retries of a call that was not executed (429, 503, after `Retry-After`), or whose answer was
   * lost and that is idempotent: a read, or a write with an `idempotencyKey`. Default 2.
   */
  retries?: number;
  /** A call is not retried when the server specifies a longer delay than this, in milliseconds. Default 10,000. */
  maxRetryDelayMs?: number;
}

export const defaultOptions = {
  callOver: 'socket',
  timeoutMs: 15_000,
  retries: 2,
  maxRetryDelayMs: 10_000,
} as const;

export type CompleteOptions = ClientOptions & Required<Pick<ClientOptions, keyof typeof defaultOptions>>;
