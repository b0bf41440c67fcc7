import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** A command that has not been answered by then has failed, in milliseconds. */
const commandTimeoutMs = 2_000;

/** The connections to Redis. They come back by themselves for as long as it takes. */
export interface RedisClients {
  /** For commands and publishing. A command while Redis is away fails at once; nothing queues up. */
  commands: Redis;
  /** For listening only; it listens again after a reconnect. */
  subscriber: Redis;
  /** Why Redis cannot be used right now; null when it can. */
  trouble(): string | null;
  /** Calls the listener each time both connections are usable again. */
  onReady(listener: () => void): void;
  /** Has the sockets of all nodes hear what is sent on any of them. `key`: what their channels in Redis begin with. */
  socketAdapter(key: string): ReturnType<typeof createAdapter>;
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
    // A Redis that hangs, or a network that swallows packets, leaves the connection open for a quarter of an
    // hour, with everything published meanwhile piling up; this gives it up and reconnects.
    socketTimeout: commandTimeoutMs,
  });
  const subscriber = new Redis(url, shared);
  surviveRejections(commands);
  surviveRejections(subscriber);
  let reported = false;
  for (const client of [commands, subscriber]) {
    client.on('error', (error) => {
      if (!reported) logger.warn({ err: error }, 'Redis cannot be reached; going on without it');
      reported = true; // it is tried again every second, which need not be said every second
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
    close() {
      commands.disconnect();
      subscriber.disconnect();
    },
  };
}

/** The commands whose promises `@socket.io/redis-adapter`, or ioredis itself on a reconnect, throws away. */
const discarded = ['publish', 'subscribe', 'psubscribe', 'unsubscribe', 'punsubscribe'] as const;

/**
 * A rejection nobody handles ends the process (redis-adapter#425). One of these that fails is no loss here:
 * other nodes find the events in the database, and subscriptions are made again with every connection.
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
