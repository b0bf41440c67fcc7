import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { GantryError, type Reason } from '../errors.ts';
import type { Game, RateLimit } from '../games/game.ts';
import { networkOf } from './network-of.ts';
import { type Standing, WindowCounter } from './window-counter.ts';

/** What one player, or an address without a token, may do: a hundred reads and fifty writes a second, bursts of twice that. */
const perCaller: Record<'read' | 'write', RateLimit> = {
  read: { points: 200, seconds: 2 },
  write: { points: 100, seconds: 2 },
};
/** Beginning to sign in, and finishing, each by address. */
const signIn: RateLimit = { points: 10, seconds: 60 };
/** Guests that are made from one address. Players behind one are as many as this in an hour, and go on as they are later. */
const newGuests: RateLimit = { points: 60, seconds: 3600 };
/** All players of a game, and all calls from one address, together: no busy game or shared connection meets these. */
const perGame: Record<'read' | 'write', RateLimit> = {
  read: { points: 40_000, seconds: 2 },
  write: { points: 20_000, seconds: 2 },
};
const perAddress: Record<'read' | 'write', RateLimit> = {
  read: { points: 8_000, seconds: 2 },
  write: { points: 4_000, seconds: 2 },
};
/** What a game's own servers do together, which share no budget with players: as much as one address may. */
const perGameServer: Record<'read' | 'write', RateLimit> = {
  read: { points: 8_000, seconds: 2 },
  write: { points: 4_000, seconds: 2 },
};
/** Connecting a socket. A launcher that is thrown out and back in by a bad line stays well below. */
const handshakes: RateLimit = { points: 60, seconds: 30 };
/** Opening a connection, which comes before connecting a socket: all launchers behind one address come back at once. */
const openings: RateLimit = { points: 6_000, seconds: 30 };
/**
 * Credentials that are none of ours, from one address. Tokens, secrets and signatures cannot be guessed, so
 * good ones pass however many bad ones came before: nobody locks out the others behind the same address.
 */
const refusals: RateLimit = { points: 300, seconds: 60 };
/** The admin token may be of a person's choosing: beyond this it is not even looked at. */
const adminRefusals: RateLimit = { points: 20, seconds: 60 };

/** Every limit of calls, before `RATE_LIMIT_FACTOR`. public/docs/errors.md lists them; a test compares the two. */
export const callLimits = {
  reads: perCaller.read,
  writes: perCaller.write,
  createUnverifiedChannel: signIn,
  verifyUnverifiedChannel: signIn,
  guestSignIns: signIn,
  newGuests,
  addressReads: perAddress.read,
  addressWrites: perAddress.write,
  gameServerReads: perGameServer.read,
  gameServerWrites: perGameServer.write,
  gameReads: perGame.read,
  gameWrites: perGame.write,
  handshakes,
  openings,
  refusals,
  adminRefusals,
} as const satisfies Record<string, RateLimit>;

/** Why a call was refused that may have been a guess. */
const guesses: ReadonlySet<Reason> = new Set<Reason>([
  'token_invalid',
  'secret_invalid',
  'admin_token_invalid',
  'signature_invalid',
  'nonce_replayed',
]);

/** A call as far as limits are concerned: what it does to what is kept, and the operation's name. */
export interface LimitedCall {
  kind: 'read' | 'write' | 'sign-in';
  name: string;
}

/** Who is calling, as far as limits are concerned. */
export interface LimitedCaller {
  address: string;
  /** The player's: whatever their sessions, they count together. Left out: without a token. */
  wallet?: string | undefined;
  /** Of an administrator by name, who has a budget of their own; with the admin token calls count for their address. */
  administratorId?: string | undefined;
  game?: Game | undefined;
  /** The game whose server calls by itself: it counts for its game, from wherever and about whomever it calls. */
  server?: Game | undefined;
}

/** How the limit that is nearest stands after a call, for the `RateLimit` headers. */
export interface LimitState {
  limit: RateLimit;
  remaining: number;
  resetSeconds: number;
}

/** What a call is counted for. */
interface Counted {
  /** With the limit, it makes a counter of its own. */
  what: string;
  key: string;
  limit: RateLimit;
}

interface Limiter {
  /** As it is after `RATE_LIMIT_FACTOR`. */
  limit: RateLimit;
  here: WindowCounter;
  /** Null without Redis. */
  shared: RateLimiterRedis | null;
}

const together = {
  read: { address: 'read address', game: 'read game', server: 'read server' },
  write: { address: 'write address', game: 'write game', server: 'write server' },
} as const;

type Tell = (state: LimitState) => void;
const tellNobody: Tell = () => undefined;

/** Counts calls and refuses those over a limit; on Redis, all nodes count together. */
export class RateLimits {
  readonly #factor: number;
  readonly #redis: { client: Redis; prefix: string } | null;
  readonly #limiters = new Map<string, Limiter>();
  /** The same, found without putting a name together: most calls meet the same few limits. */
  readonly #found = new Map<string, WeakMap<RateLimit, Limiter>>();

  /** `factor` multiplies every limit (`RATE_LIMIT_FACTOR`). */
  constructor(factor: number, redis: { client: Redis; prefix: string } | null) {
    this.#factor = factor;
    this.#redis = redis;
  }

  /**
   * Counts a call, or several that are made as one. `tell` hears how the caller's own limit stands, or else the limit that
   * refuses. Done at once, unless there is a promise to wait for.
   * @throws GantryError `rate_limited`, as the promise does
   */
  count(
    call: LimitedCall,
    caller: LimitedCaller,
    tell: Tell = tellNobody,
    calls = 1,
  ): Promise<void> | undefined {
    const counts = countsOf(call, caller);
    if (this.#redis) return this.#countShared(counts, tell, calls);
    let own: LimitState | undefined;
    for (const counted of counts) {
      const state = this.#countHere(counted, tell, calls);
      own ??= state;
    }
    if (own) tell(own);
    return undefined;
  }

  /** Counts a socket's connecting. @throws GantryError `rate_limited` */
  async countHandshake(caller: Pick<LimitedCaller, 'address' | 'wallet' | 'server'>): Promise<void> {
    const key = caller.wallet ?? caller.server?.id ?? networkOf(caller.address);
    await this.#consume({ what: 'handshake', key, limit: handshakes });
  }

  /** Counts a connection's being opened, before anything is known of it. @throws GantryError `rate_limited` */
  async countOpening(address: string): Promise<void> {
    await this.#consume({ what: 'opening', key: networkOf(address), limit: openings });
  }

  /** To be asked before the admin token is looked at. @throws GantryError `rate_limited` */
  async refuseGuessing(address: string, tell: Tell = tellNobody): Promise<void> {
    const { limit, here, shared } = this.#limiter('refused admin', adminRefusals);
    const key = networkOf(address);
    const standing = here.standing(key);
    let state = standing && hereState(limit, standing);
    if (shared) {
      const found = await shared.get(key);
      state = found === null ? undefined : sharedState(limit, found);
    }
    if (state && state.remaining <= 0) throw refusal(state, tell);
  }

  /**
   * Counts a call that was refused for what it said of who is calling; `refused` null: it said nothing of it.
   * @throws GantryError `rate_limited`
   */
  async countRefused(
    kind: LimitedCall['kind'],
    address: string,
    refused: unknown,
    tell: Tell = tellNobody,
  ): Promise<void> {
    const key = networkOf(address);
    const reason = refused instanceof GantryError ? refused.reason : null;
    if (reason !== null && guesses.has(reason)) {
      const [what, limit] =
        reason === 'admin_token_invalid'
          ? (['refused admin', adminRefusals] as const)
          : (['refused', refusals] as const);
      tell(await this.#consume({ what, key, limit }, tell));
    }
    const counted = kind === 'sign-in' ? 'write' : kind;
    await this.#consume({ what: together[counted].address, key, limit: perAddress[counted] }, tell);
  }

  async #countShared([own, ...others]: readonly Counted[], tell: Tell, calls: number): Promise<void> {
    if (own) tell(await this.#consume(own, tell, calls));
    await Promise.all(others.map((counted) => this.#consume(counted, tell, calls)));
  }

  async #consume(counted: Counted, tell = tellNobody, calls = 1): Promise<LimitState> {
    const { limit, shared } = this.#limiter(counted.what, counted.limit);
    if (!shared) return this.#countHere(counted, tell, calls);
    try {
      return sharedState(limit, await shared.consume(counted.key, calls));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw refusal(sharedState(limit, refused), tell);
    }
  }

  #countHere({ what, key, limit: unscaled }: Counted, tell: Tell, calls: number): LimitState {
    const { limit, here } = this.#limiter(what, unscaled);
    const standing = here.count(key, calls);
    const state = hereState(limit, standing);
    if (standing.count > limit.points) throw refusal(state, tell);
    return state;
  }

  #limiter(what: string, limit: RateLimit): Limiter {
    const found = this.#found.get(what);
    const known = found?.get(limit);
    if (known) return known;
    const limiter = this.#limiterNamed(what, limit);
    if (found) found.set(limit, limiter);
    else this.#found.set(what, new WeakMap([[limit, limiter]]));
    return limiter;
  }

  #limiterNamed(what: string, { points: unscaled, seconds }: RateLimit): Limiter {
    const points = Math.max(1, Math.round(unscaled * this.#factor));
    const name = `${what} ${points}/${seconds}`;
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      const options = { points, duration: seconds };
      const shared =
        this.#redis &&
        new RateLimiterRedis({
          ...options,
          storeClient: this.#redis.client,
          keyPrefix: `${this.#redis.prefix}:limit:${name}`,
          // While Redis is away each node counts for itself, rather than letting everything or nothing through.
          insuranceLimiter: new RateLimiterMemory({ ...options, keyPrefix: name }),
        });
      limiter = { limit: { points, seconds }, here: new WindowCounter(seconds * 1000), shared };
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }
}

/** Everything a call counts for; its caller's own limit first. */
function countsOf(
  { kind, name }: LimitedCall,
  { address: from, wallet, administratorId, game, server }: LimitedCaller,
): Counted[] {
  const address = networkOf(from);
  if (kind === 'sign-in') {
    const counts: Counted[] = [{ what: `sign-in ${name}`, key: address, limit: signIn }];
    if (name === 'createGuest') counts.push({ what: 'new guests', key: address, limit: newGuests });
    return counts;
  }
  const names = together[kind];
  if (server) {
    return [
      { what: names.server, key: server.id, limit: perGameServer[kind] },
      { what: names.game, key: server.id, limit: perGame[kind] },
    ];
  }
  const ofGame = game?.policies.limits[kind];
  const by = wallet ?? administratorId ?? address;
  const counts: Counted[] = [
    { what: kind, key: ofGame ? `${game?.id} ${by}` : by, limit: ofGame ?? perCaller[kind] },
    { what: names.address, key: address, limit: perAddress[kind] },
  ];
  if (game) counts.push({ what: names.game, key: game.id, limit: perGame[kind] });
  return counts;
}

function refusal(state: LimitState, tell: Tell): GantryError {
  tell(state);
  return new GantryError('rate_limited', `Too many calls; try again in ${state.resetSeconds} s`, {
    retryAfterSeconds: state.resetSeconds,
  });
}

function sharedState(limit: RateLimit, { remainingPoints, msBeforeNext }: RateLimiterRes): LimitState {
  return { limit, remaining: remainingPoints, resetSeconds: secondsOf(msBeforeNext) };
}

function hereState(limit: RateLimit, { count, msLeft }: Standing): LimitState {
  return { limit, remaining: Math.max(0, limit.points - count), resetSeconds: secondsOf(msLeft) };
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
