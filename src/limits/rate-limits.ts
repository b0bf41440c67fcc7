import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { GantryError, type Reason } from '../errors.ts';
import type { Game, RateLimit } from '../games/game.ts';
import { networkOf } from './network-of.ts';

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

/** Counts calls and refuses those over a limit; on Redis, all nodes count together. */
export class RateLimits {
  readonly #factor: number;
  readonly #redis: { client: Redis; prefix: string } | null;
  readonly #limiters = new Map<string, RateLimiterAbstract>();

  /** `factor` multiplies every limit (`RATE_LIMIT_FACTOR`). */
  constructor(factor: number, redis: { client: Redis; prefix: string } | null) {
    this.#factor = factor;
    this.#redis = redis;
  }

  /**
   * Counts a call, or several that are made as one. `tell` hears how the caller's own limit stands, or else the limit that refuses.
   * @throws GantryError `rate_limited`
   */
  async count(
    { kind, name }: LimitedCall,
    caller: LimitedCaller,
    tell: (state: LimitState) => void = () => undefined,
    calls = 1,
  ): Promise<void> {
    const address = networkOf(caller.address);
    if (kind === 'sign-in') {
      tell(await this.#consume(`sign-in ${name}`, address, signIn, tell));
      if (name === 'createGuest') await this.#consume('new guests', address, newGuests, tell);
      return;
    }
    if (caller.server) {
      const { id } = caller.server;
      tell(await this.#consume(`${kind} server`, id, perGameServer[kind], tell, calls));
      await this.#consume(`${kind} game`, id, perGame[kind], tell, calls);
      return;
    }
    const { game } = caller;
    const ofGame = game?.policies.limits[kind];
    const by = caller.wallet ?? address;
    tell(
      await this.#consume(kind, ofGame ? `${game?.id} ${by}` : by, ofGame ?? perCaller[kind], tell, calls),
    );
    await Promise.all([
      this.#consume(`${kind} address`, address, perAddress[kind], tell, calls),
      game && this.#consume(`${kind} game`, game.id, perGame[kind], tell, calls),
    ]);
  }

  /** Counts a socket's connecting. @throws GantryError `rate_limited` */
  async countHandshake(caller: Pick<LimitedCaller, 'address' | 'wallet' | 'server'>): Promise<void> {
    const by = caller.wallet ?? caller.server?.id ?? networkOf(caller.address);
    await this.#consume('handshake', by, handshakes, () => undefined);
  }

  /** Counts a connection's being opened, before anything is known of it. @throws GantryError `rate_limited` */
  async countOpening(address: string): Promise<void> {
    await this.#consume('opening', networkOf(address), openings, () => undefined);
  }

  /** To be asked before the admin token is looked at. @throws GantryError `rate_limited` */
  async refuseGuessing(address: string, tell: (state: LimitState) => void = () => undefined): Promise<void> {
    const limit = this.#scaled(adminRefusals);
    const standing = await this.#limiter('refused admin', limit).get(networkOf(address));
    if (standing && standing.remainingPoints <= 0) throw refusal(toState(limit, standing), tell);
  }

  /**
   * Counts a call that was refused for what it said of who is calling; `refused` null: it said nothing of it.
   * @throws GantryError `rate_limited`
   */
  async countRefused(
    kind: LimitedCall['kind'],
    address: string,
    refused: unknown,
    tell: (state: LimitState) => void = () => undefined,
  ): Promise<void> {
    const network = networkOf(address);
    const reason = refused instanceof GantryError ? refused.reason : null;
    if (reason !== null && guesses.has(reason)) {
      const [what, limit] =
        reason === 'admin_token_invalid'
          ? (['refused admin', adminRefusals] as const)
          : (['refused', refusals] as const);
      tell(await this.#consume(what, network, limit, tell));
    }
    const counted = kind === 'sign-in' ? 'write' : kind;
    await this.#consume(`${counted} address`, network, perAddress[counted], tell);
  }

  async #consume(
    what: string,
    key: string,
    limit: RateLimit,
    tell: (state: LimitState) => void,
    calls = 1,
  ): Promise<LimitState> {
    const scaled = this.#scaled(limit);
    try {
      return toState(scaled, await this.#limiter(what, scaled).consume(key, calls));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw refusal(toState(scaled, refused), tell);
    }
  }

  #scaled(limit: RateLimit): RateLimit {
    return { ...limit, points: Math.max(1, Math.round(limit.points * this.#factor)) };
  }

  #limiter(what: string, { points, seconds }: RateLimit): RateLimiterAbstract {
    const name = `${what} ${points}/${seconds}`;
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      const options = { keyPrefix: name, points, duration: seconds };
      const memory = new RateLimiterMemory(options);
      limiter = this.#redis
        ? new RateLimiterRedis({
            ...options,
            storeClient: this.#redis.client,
            keyPrefix: `${this.#redis.prefix}:limit:${name}`,
            // While Redis is away each node counts for itself, rather than letting everything or nothing through.
            insuranceLimiter: memory,
          })
        : memory;
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }
}

function refusal(state: LimitState, tell: (state: LimitState) => void): GantryError {
  tell(state);
  return new GantryError('rate_limited', `Too many calls; try again in ${state.resetSeconds} s`, {
    retryAfterSeconds: state.resetSeconds,
  });
}

function toState(limit: RateLimit, { remainingPoints, msBeforeNext }: RateLimiterRes): LimitState {
  return { limit, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}
