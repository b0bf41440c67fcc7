import { isIPv6, SocketAddress } from 'node:net';
import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Game, RateLimit } from '../domain/game.ts';
import { GantryError } from '../errors.ts';
import type { AnyOperation } from '../operations/define.ts';

/** What one token, or an address without one, may do: a hundred reads and fifty writes a second, bursts of twice that. */
const perCaller: Record<'read' | 'write', RateLimit> = {
  read: { points: 200, seconds: 2 },
  write: { points: 100, seconds: 2 },
};
/** Beginning to sign in, and finishing, each by address. */
const signIn: RateLimit = { points: 10, seconds: 60 };
/** All players of a game, and all calls from one address, together: no busy game or shared connection meets these. */
const perGame: Record<'read' | 'write', RateLimit> = {
  read: { points: 40_000, seconds: 2 },
  write: { points: 20_000, seconds: 2 },
};
const perAddress: Record<'read' | 'write', RateLimit> = {
  read: { points: 8_000, seconds: 2 },
  write: { points: 4_000, seconds: 2 },
};

/** Who is calling, as far as limits are concerned. */
export interface LimitedCaller {
  address: string;
  /** Left out: without a token. */
  sessionId?: string | undefined;
  game?: Game | undefined;
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
   * Counts a call. `tell` hears how the caller's own limit stands, or else the limit that refuses.
   * @throws GantryError `rate_limited`
   */
  async count(
    { kind, name }: Pick<AnyOperation, 'kind' | 'name'>,
    caller: LimitedCaller,
    tell: (state: LimitState) => void = () => undefined,
  ): Promise<void> {
    const address = networkOf(caller.address);
    if (kind === 'sign-in') {
      tell(await this.#consume(`sign-in ${name}`, address, signIn, tell));
      return;
    }
    const { game } = caller;
    const ofGame = game?.policies.limits[kind];
    const anonymous = ofGame ? `${game?.id} ${address}` : address;
    tell(await this.#consume(kind, caller.sessionId ?? anonymous, ofGame ?? perCaller[kind], tell));
    await Promise.all([
      this.#consume(`${kind} address`, address, perAddress[kind], tell),
      game && this.#consume(`${kind} game`, game.id, perGame[kind], tell),
    ]);
  }

  async #consume(
    what: string,
    key: string,
    limit: RateLimit,
    tell: (state: LimitState) => void,
  ): Promise<LimitState> {
    const scaled = { ...limit, points: Math.max(1, Math.round(limit.points * this.#factor)) };
    try {
      return toState(scaled, await this.#limiter(what, scaled).consume(key));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const state = toState(scaled, refused);
      tell(state);
      throw new GantryError('rate_limited', `Too many calls; try again in ${state.resetSeconds} s`, {
        retryAfterSeconds: state.resetSeconds,
      });
    }
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

function toState(limit: RateLimit, { remainingPoints, msBeforeNext }: RateLimiterRes): LimitState {
  return { limit, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}

/**
 * What is counted of an address: an IPv6 customer has a /64 to call from; IPv4 counts as it is, in whatever
 * form it is written. Some proxies forward a port behind the address, which is none of it.
 */
function networkOf(written: string): string {
  const address = /^(?:\[(.+)\]|([\d.]+)):\d+$/.exec(written)?.slice(1).find(Boolean) ?? written;
  if (!isIPv6(address)) return address;
  const plain = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = /^::ffff:([\d.]+)$/.exec(plain)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? [] : tail.split(':');
    while (groups.length + behind.length < 8) groups.push('0');
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
