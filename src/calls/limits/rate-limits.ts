import { GantryError, type Reason } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import type { RateLimit } from '../../core/rate-limit.ts';
import { type SharedCounts, WindowCounter, type WindowState } from '../../core/window-counter.ts';
import { friendRequestLimit, playerSearchLimit } from '../../features/friends/limits.ts';
import type { Game } from '../../features/games/game.ts';

/** Per player, or per address without a token: a hundred reads and fifty writes a second, with bursts of twice that. */
const perCaller: Record<'read' | 'write', RateLimit> = {
  read: { points: 200, seconds: 2 },
  write: { points: 100, seconds: 2 },
};
/**
 * Each call of a sign-in with a wallet, per address: thirty people of one school can sign in at the same time, four times a minute. None of
 * these are guesses, since signatures cannot be guessed and each sign-in allows five. What they cost, a stored message
 * and perhaps a call of a chain, is bounded by the hour: that of ten a minute, in bursts.
 */
const signIn: RateLimit = { points: 120, seconds: 60 };
const signInsInAnHour: RateLimit = { points: 600, seconds: 3600 };
/** Sign-ins with a valid device secret: of an address, whose players reload a game, and of a device. */
const guestSignIns: RateLimit = { points: 600, seconds: 60 };
const deviceSignIns: RateLimit = { points: 30, seconds: 60 };
/** Each opens a session, which is stored for a month after its end: a kilobyte a call. */
const guestSignInsInAnHour: RateLimit = { points: 6_000, seconds: 3600 };
const deviceSignInsInAnHour: RateLimit = { points: 200, seconds: 3600 };
/** New guests per address, in any burst; existing guests are not affected. */
const newGuests: RateLimit = { points: 120, seconds: 3600 };
/**
 * New guests per game, over all addresses: a million on the day of a launch. A caller with many addresses can store 60 MB
 * of guests an hour, which are removed when they stay idle, and needs 500 addresses to keep others out.
 */
const newGuestsOfGame: RateLimit = { points: 60_000, seconds: 3600 };
/** Per game and per address: higher than a busy game or a shared connection reaches. */
const perGame: Record<'read' | 'write', RateLimit> = {
  read: { points: 40_000, seconds: 2 },
  write: { points: 20_000, seconds: 2 },
};
const perAddress: Record<'read' | 'write', RateLimit> = {
  read: { points: 8_000, seconds: 2 },
  write: { points: 4_000, seconds: 2 },
};
/** Per game, for the game's own servers, which have a budget separate from the players': the same as one address's. */
const perGameServer: Record<'read' | 'write', RateLimit> = {
  read: { points: 8_000, seconds: 2 },
  write: { points: 4_000, seconds: 2 },
};
/**
 * Pages and static files, per address: dozens of people behind one address can open a page with all its files and
 * avatars at the same time. Counted per process, since files cost the process that serves them.
 */
const files: RateLimit = { points: 3_000, seconds: 2 };
/** Socket handshakes. A launcher that keeps reconnecting over an unreliable network stays well below. */
const handshakes: RateLimit = { points: 60, seconds: 30 };
/** Opening a connection, before the handshake: all launchers behind one address may reconnect at once. */
const openings: RateLimit = { points: 6_000, seconds: 30 };
/**
 * Invalid credentials per address. Tokens, secrets and signatures cannot be guessed, so valid ones are accepted however
 * many invalid ones came before: no client can lock out the others behind its address.
 */
const refusals: RateLimit = { points: 300, seconds: 60 };
/** The admin token may be chosen by a person and guessable: beyond this limit it is not even checked. */
const adminRefusals: RateLimit = { points: 20, seconds: 60 };

/** Every call limit, before `RATE_LIMIT_FACTOR`. public/docs/rate-limits.md lists them; a test compares the two. */
export const callLimits = {
  reads: perCaller.read,
  writes: perCaller.write,
  createUnverifiedChannel: signIn,
  verifyUnverifiedChannel: signIn,
  walletSignIns: signIn,
  signInsInAnHour,
  guestSignIns,
  deviceSignIns,
  guestSignInsInAnHour,
  deviceSignInsInAnHour,
  newGuests,
  newGuestsOfGame,
  friendRequests: friendRequestLimit,
  playerSearches: playerSearchLimit,
  addressReads: perAddress.read,
  addressWrites: perAddress.write,
  gameServerReads: perGameServer.read,
  gameServerWrites: perGameServer.write,
  gameReads: perGame.read,
  gameWrites: perGame.write,
  files,
  handshakes,
  openings,
  refusals,
  adminRefusals,
} as const satisfies Record<string, RateLimit>;

/** Reasons of refused calls that may have been guesses. */
const guesses: ReadonlySet<Reason> = new Set<Reason>([
  'token_invalid',
  'secret_invalid',
  'device_unknown',
  'admin_token_invalid',
  'signature_invalid',
  'nonce_replayed',
]);

/** The properties of a call that limits depend on. */
export interface LimitedCall {
  kind: 'read' | 'write' | 'sign-in';
  name: string;
  perPlayer?: RateLimit;
}

/** The properties of a caller that limits depend on. */
export interface LimitedCaller {
  address: string;
  /** The player, whose sessions all share one budget; omitted without a token. */
  wallet?: string | undefined;
  /** Whose budget it is instead of the player's: see `budgetOf`. */
  budget?: string | undefined;
  /** A named administrator, who has a separate budget; calls with the admin token count for their address. */
  administratorId?: string | undefined;
  game?: Game | undefined;
  /** The game whose server is calling: counted for the game, whatever the address and the player. */
  server?: Game | undefined;
}

/** The state of the caller's limit after a call, for the `RateLimit` headers. */
export interface LimitState {
  limit: RateLimit;
  remaining: number;
  resetSeconds: number;
}

/** One counter that a call consumes. */
interface Counted {
  /** With the limit, identifies a separate counter. */
  what: string;
  key: string;
  limit: RateLimit;
}

/** How much of its limits a call consumes; `isRest`: it was counted once already, see `countRest`. */
interface Amount {
  calls: number;
  isRest: boolean;
}

const once: Amount = { calls: 1, isRest: false };

interface Limiter {
  /** After `RATE_LIMIT_FACTOR`. */
  limit: RateLimit;
  counter: WindowCounter;
}

const counterNames = {
  read: { address: 'read address', game: 'read game', server: 'read server' },
  write: { address: 'write address', game: 'write game', server: 'write server' },
} as const;

type OnLimit = (state: LimitState) => void;
const ignoreLimit: OnLimit = () => undefined;

/** Opens the counts that all nodes share of a limit. */
type OpenShared = (name: string) => SharedCounts;

/** Counts calls and refuses those over a limit. */
export class RateLimits {
  readonly #factor: number;
  readonly #openShared: OpenShared | null;
  readonly #limiters = new Map<string, Limiter>();
  /** The same by limit object, to avoid building a name per call: most calls use the same few limits. */
  readonly #byLimit = new Map<string, WeakMap<RateLimit, Limiter>>();

  /** `factor` multiplies every limit (`RATE_LIMIT_FACTOR`). `openShared`: null if there is one node. */
  constructor(factor: number, openShared: OpenShared | null) {
    this.#factor = factor;
    this.#openShared = openShared;
  }

  /**
   * Counts a call, or several batched as one. `onLimit` receives the state of the caller's own limit, or of the limit
   * that refused the call. Synchronous unless it returns a promise.
   * @throws GantryError `rate_limited`; the promise rejects with the same
   */
  count(
    call: LimitedCall,
    caller: LimitedCaller,
    onLimit: OnLimit = ignoreLimit,
    calls = 1,
  ): Promise<void> | undefined {
    const amount = calls === 1 ? once : { calls, isRest: false };
    return this.#countAll(countsOf(call, caller), onLimit, amount);
  }

  /**
   * Counts the rest of a call that was counted once already and counts as this many: of each limit at most a whole
   * window, so that every call can be made under every limit. Otherwise as `count`.
   */
  countRest(
    call: LimitedCall,
    caller: LimitedCaller,
    onLimit: OnLimit = ignoreLimit,
    calls: number,
  ): Promise<void> | undefined {
    const { kind, name } = call; // a limit of its own counts calls, whatever their work
    return this.#countAll(countsOf({ kind, name }, caller), onLimit, { calls, isRest: true });
  }

  /** Counts a sign-in with a valid device secret, before a session is opened. As `count`. */
  countDevice(deviceId: string, address: string, onLimit: OnLimit = ignoreLimit): Promise<void> | undefined {
    const network = networkOf(address);
    const counts = [
      { what: 'guest sign-in', key: network, limit: guestSignIns },
      { what: 'guest sign-in', key: network, limit: guestSignInsInAnHour },
      { what: 'device', key: deviceId, limit: deviceSignIns },
      { what: 'device', key: deviceId, limit: deviceSignInsInAnHour },
    ];
    return this.#countAll(counts, onLimit, once);
  }

  /** Counts a request for a page or a file. @throws GantryError `rate_limited` */
  countFile(address: string): void {
    void this.#consume({ what: 'file', key: networkOf(address), limit: files }); // synchronous: no node is asked
  }

  /** Counts a socket's handshake. @throws GantryError `rate_limited` */
  async countHandshake(caller: Pick<LimitedCaller, 'address' | 'budget' | 'server'>): Promise<void> {
    const key = caller.budget ?? caller.server?.id ?? networkOf(caller.address);
    await this.#consume({ what: 'handshake', key, limit: handshakes });
  }

  /** Counts the opening of a connection, before its handshake. @throws GantryError `rate_limited` */
  async countOpening(address: string): Promise<void> {
    await this.#consume({ what: 'opening', key: networkOf(address), limit: openings });
  }

  /**
   * Refuses an address with too many wrong admin tokens; call this before the token is checked.
   * @throws GantryError `rate_limited`
   */
  async refuseGuessing(address: string, onLimit: OnLimit = ignoreLimit): Promise<void> {
    const { limit, counter } = this.#limiter('refused admin', adminRefusals);
    const window = await counter.peek(networkOf(address));
    if (window && window.count >= limit.points) throw refusal(stateOf(limit, window), onLimit);
  }

  /**
   * Counts a call whose credentials were refused; `refused` is null when the call carried none.
   * @throws GantryError `rate_limited`
   */
  async countRefused(
    kind: LimitedCall['kind'],
    address: string,
    refused: unknown,
    onLimit: OnLimit = ignoreLimit,
  ): Promise<void> {
    const key = networkOf(address);
    const reason = refused instanceof GantryError ? refused.reason : null;
    if (reason !== null && guesses.has(reason)) {
      const [what, limit] =
        reason === 'admin_token_invalid'
          ? (['refused admin', adminRefusals] as const)
          : (['refused', refusals] as const);
      onLimit(await this.#consume({ what, key, limit }, onLimit));
    }
    const counted = kind === 'sign-in' ? 'write' : kind;
    await this.#consume({ what: counterNames[counted].address, key, limit: perAddress[counted] }, onLimit);
  }

  /** Counts one after another, without a promise as far as no other node has to be asked. */
  #countAll(
    counts: readonly Counted[],
    onLimit: OnLimit,
    amount: Amount,
    from = 0,
  ): Promise<void> | undefined {
    for (const [at, counted] of counts.entries()) {
      if (at < from) continue;
      const state = this.#consume(counted, onLimit, amount);
      if (state instanceof Promise) {
        return state.then((later) => {
          if (at === 0) onLimit(later);
          return this.#countAll(counts, onLimit, amount, at + 1);
        });
      }
      if (at === 0) onLimit(state);
    }
    return undefined;
  }

  /** The state of the limit afterwards; synchronous unless the other nodes have to be asked. */
  #consume(
    { what, key, limit: unscaled }: Counted,
    onLimit = ignoreLimit,
    amount = once,
  ): LimitState | Promise<LimitState> {
    const { limit, counter } = this.#limiter(what, unscaled);
    const window = counter.count(key, pointsOf(amount, limit));
    return window instanceof Promise
      ? window.then((later) => admitted(limit, later, onLimit))
      : admitted(limit, window, onLimit);
  }

  #limiter(what: string, limit: RateLimit): Limiter {
    const found = this.#byLimit.get(what);
    const known = found?.get(limit);
    if (known) return known;
    const limiter = this.#limiterNamed(what, limit);
    if (found) found.set(limit, limiter);
    else this.#byLimit.set(what, new WeakMap([[limit, limiter]]));
    return limiter;
  }

  #limiterNamed(what: string, unscaled: RateLimit): Limiter {
    const points = Math.max(1, Math.round(unscaled.points * this.#factor));
    const { seconds } = unscaled;
    const name = `${what} ${points}/${seconds}`;
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      const limit = { points, seconds };
      const shared = unscaled === files ? null : (this.#openShared?.(name) ?? null);
      limiter = { limit, counter: new WindowCounter(limit, shared) };
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }
}

/** Every counter that a call consumes, the caller's own first. */
function countsOf(
  { kind, name, perPlayer }: LimitedCall,
  { address: from, wallet, budget, administratorId, game, server }: LimitedCaller,
): Counted[] {
  const address = networkOf(from);
  if (kind === 'sign-in') return signInCounts(name, address, game);
  const names = counterNames[kind];
  if (server) {
    return [
      { what: names.server, key: server.id, limit: perGameServer[kind] },
      { what: names.game, key: server.id, limit: perGame[kind] },
    ];
  }
  const ofGame = game?.policies.limits[kind];
  const by = budget ?? wallet ?? administratorId ?? address;
  const counts: Counted[] = [
    { what: kind, key: ofGame ? `${game?.id} ${by}` : by, limit: ofGame ?? perCaller[kind] },
    { what: names.address, key: address, limit: perAddress[kind] },
  ];
  if (game) counts.push({ what: names.game, key: game.id, limit: perGame[kind] });
  if (perPlayer) counts.push({ what: name, key: by, limit: perPlayer });
  return counts;
}

function signInCounts(name: string, address: string, game: Game | undefined): Counted[] {
  if (name === 'createGuest') {
    const ofGame = { what: 'new guests of game', key: game?.id ?? '', limit: newGuestsOfGame };
    return [{ what: 'new guests', key: address, limit: newGuests }, ofGame];
  }
  // Wrong secrets use up nothing that others behind the address need; valid ones are counted by `countDevice`.
  if (name === 'signInGuest') {
    return [{ what: counterNames.write.address, key: address, limit: perAddress.write }];
  }
  return [
    { what: `sign-in ${name}`, key: address, limit: signIn },
    { what: `sign-in ${name}`, key: address, limit: signInsInAnHour },
  ];
}

function pointsOf({ calls, isRest }: Amount, { points }: RateLimit): number {
  return isRest ? Math.min(calls, points) - 1 : calls;
}

/** The state of a limit after a call. @throws GantryError `rate_limited` */
function admitted(limit: RateLimit, window: WindowState, onLimit: OnLimit): LimitState {
  const state = stateOf(limit, window);
  if (window.count > limit.points) throw refusal(state, onLimit);
  return state;
}

function refusal(state: LimitState, onLimit: OnLimit): GantryError {
  onLimit(state);
  return new GantryError('rate_limited', `Too many calls; try again in ${state.resetSeconds} s`, {
    retryAfterSeconds: state.resetSeconds,
  });
}

function stateOf(limit: RateLimit, { count, msLeft }: WindowState): LimitState {
  return { limit, remaining: Math.max(0, limit.points - count), resetSeconds: secondsOf(msLeft) };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
