import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../core/rate-limit.ts';
import type { SharedCounter, WindowState } from '../../core/window-counter.ts';

/** The timeout of a command. */
const commandTimeoutMs = 2_000;

/** The connections to Redis. They reconnect by themselves and never give up. */
export interface RedisClients {
  /** For commands and publishing. While Redis is unavailable a command fails at once; nothing is queued. */
  commands: Redis;
  /** For subscriptions only; it subscribes again after a reconnect. */
  subscriber: Redis;
  /** Why Redis is unavailable; null when it is available. */
  trouble(): string | null;
  /** Calls the listener each time both connections are usable again. */
  onReady(listener: () => void): void;
  /** A Socket.IO adapter that broadcasts across nodes. `key`: the prefix of its channels in Redis. */
  socketAdapter(key: string): ReturnType<typeof createAdapter>;
  /** A counter that all nodes share. `name`: the prefix of its keys in Redis. */
  counter(name: string, limit: RateLimit): SharedCounter;
  close(): void;
}

export function connectRedis(url: string, logger: Logger): RedisClients {
  const shared = {
    retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
    maxRetriesPerRequest: null,
  };
  const commands = new Redis(url, {
    ...shared,
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    // When Redis hangs or the network drops packets, the connection would stay open for a quarter of an hour, with
    // everything published meanwhile piling up; this closes it and reconnects.
    socketTimeout: commandTimeoutMs,
  });
  const subscriber = new Redis(url, shared);
  surviveRejections(commands);
  surviveRejections(subscriber);
  let reported = false;
  for (const client of [commands, subscriber]) {
    client.on('error', (error) => {
      if (!reported) logger.warn({ err: error }, 'Redis cannot be reached; continuing without it');
      reported = true; // once per outage, not at every reconnect attempt
    });
    client.on('ready', () => {
      reported = false;
    });
  }
  const trouble = () =>
    commands.status === 'ready' && subscriber.status === 'ready' ? null : 'Redis cannot be reached';
  return {
    commands,
    subscriber,
    trouble,
    onReady(listener) {
      for (const client of [commands, subscriber]) {
        client.on('ready', () => {
          if (trouble() === null) listener();
        });
      }
    },
    socketAdapter: (key) => createAdapter(commands, subscriber, { key }),
    counter: (name, limit) => new RedisCounter(commands, name, limit),
    close() {
      commands.disconnect();
      subscriber.disconnect();
    },
  };
}

/** The commands whose promises `@socket.io/redis-adapter`, or ioredis itself on a reconnect, discards. */
const discarded = ['publish', 'subscribe', 'psubscribe', 'unsubscribe', 'punsubscribe'] as const;

/**
 * Handles rejections of these commands, because an unhandled one ends the process (redis-adapter#425). Nothing is lost:
 * other nodes find the events in the database, and every reconnect subscribes again.
 */
function surviveRejections(client: Redis): void {
  for (const name of discarded) {
    const command = client[name].bind(client) as (...message: string[]) => Promise<unknown>;
    const surviving = (...message: string[]) => {
      const answer = command(...message);
      answer.catch(() => {});
      return answer;
    };
    Object.assign(client, { [name]: surviving });
  }
}

/** Fixed-window counters by key in Redis. While Redis is unavailable each node counts by itself. */
class RedisCounter implements SharedCounter {
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
