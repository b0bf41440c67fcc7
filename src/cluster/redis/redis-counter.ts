import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../core/rate-limit.ts';
import type { SharedCounter, WindowState } from '../../core/window-counter.ts';

/** Fixed-window counters by key in Redis. While Redis is unavailable each node counts by itself. */
export class RedisCounter implements SharedCounter {
  readonly #limiter: RateLimiterRedis;

  /** `name`: the prefix of its keys in Redis. */
  constructor(client: Redis, name: string, { points, seconds }: RateLimit) {
    const options = { keyPrefix: name, points, duration: seconds };
    this.#limiter = new RateLimiterRedis({
      ...options,
      storeClient: client,
      insuranceLimiter: new RateLimiterMemory(options),
    });
  }

  async count(key: string, calls: number): Promise<WindowState> {
    try {
      return stateOf(await this.#limiter.consume(key, calls));
    } catch (overLimit) {
      if (overLimit instanceof RateLimiterRes) return stateOf(overLimit);
      throw overLimit;
    }
  }

  async peek(key: string): Promise<WindowState | undefined> {
    const found = await this.#limiter.get(key);
    return found === null ? undefined : stateOf(found);
  }
}

function stateOf({ consumedPoints, msBeforeNext }: RateLimiterRes): WindowState {
  return { count: consumedPoints, msLeft: msBeforeNext };
}
