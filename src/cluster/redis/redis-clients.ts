import { createAdapter } from '@socket.io/redis-adapter';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { ConfigError } from '../../core/config-error.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import { NodeConnections } from './node-connections.ts';
import { type CountingRedis, openClient } from './open-client.ts';
import { isOfReplica, RedisAvailability } from './redis-availability.ts';
import { type Channel, RedisChannel } from './redis-channel.ts';
import { addScript, RedisCounts } from './redis-counts.ts';
import { Subscriptions } from './subscriptions.ts';

/** The timeout of a command. */
const commandTimeoutMs = 2_000;
/** How long a start waits for Redis. */
const firstResponseMs = 2_000;
/** The pause between two attempts to connect grows to this: what nodes share is then right soon after an outage. */
const retryMs = 250;
/** The same when Redis refuses to be used. */
const refusedRetryMs = 1_000;

/** The connections to Redis. They reconnect by themselves and never give up. */
export interface RedisClients {
  /** For commands and publishing. While Redis is unavailable a command fails at once; nothing is queued. */
  commands: Redis;
  /** For subscriptions only; it subscribes again after a reconnect. */
  subscriber: Redis;
  /** Why Redis is unavailable; null when it is available. */
  trouble(): string | null;
  /** Resolves with whether Redis has taken what `commands` sent until now. Never rejects. */
  isAnswering(): Promise<boolean>;
  /** How many commands were sent, over both connections. */
  commandsSent(): number;
  /** Calls the listener each time Redis has become usable. */
  onReady(listener: () => void): void;
  /** A Socket.IO adapter that broadcasts across nodes. `key`: the prefix of its channels in Redis. */
  socketAdapter(key: string): ReturnType<typeof createAdapter>;
  /** A channel between the nodes. */
  channel(name: string): Channel;
  /** Shows other nodes whether this one (`own`) is connected. `prefix`: of the names of its channels in Redis. */
  nodeConnections(prefix: string, own: string): NodeConnections;
  /** The counts of a limit that all nodes share. `name`: the prefix of its keys in Redis. */
  counts(name: string, nodes: () => number): RedisCounts;
  close(): void;
}

/**
 * Connects, and waits until Redis has responded or cannot be reached.
 * @throws ConfigError when it is a Redis Cluster (keys that a script uses together would be on different nodes), or its
 * user lacks permissions: what is not subscribed to at the start would be missing
 */
export async function connectRedis(url: string, logger: Logger): Promise<RedisClients> {
  const shared = {
    retryStrategy: (attempt: number) =>
      availability.isRefused ? refusedRetryMs : Math.min(attempt * 100, retryMs),
    maxRetriesPerRequest: null,
  };
  const subscriber = openClient(url, { ...shared, autoResubscribe: false });
  const commands: CountingRedis = openClient(url, {
    ...shared,
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
    // When Redis hangs or the network drops packets, the connection would stay open for a quarter of an hour, with
    // everything published meanwhile piling up; this closes it and reconnects.
    socketTimeout: commandTimeoutMs,
    // After a failover, the address or the sentinels may lead to another server.
    reconnectOnError(error) {
      if (!isOfReplica(error)) return false;
      subscriber.disconnect(true);
      return true;
    },
  });
  surviveRejections(commands);
  const subscriptions = new Subscriptions(subscriber);
  const availability: RedisAvailability = new RedisAvailability(
    { commands, subscriber, subscriptions },
    logger,
  );
  const close = () => {
    availability.close();
    commands.disconnect();
    subscriber.disconnect();
  };
  await withTimeout(firstResponseMs, availability.checked);
  const refusal = availability.permanentRefusal;
  if (refusal !== null) {
    close();
    throw new ConfigError(refusal);
  }
  const adding = addScript(commands);
  const clients: RedisClients = {
    commands,
    subscriber,
    trouble: () => availability.trouble(),
    commandsSent: () => commands.sent + subscriber.sent,
    onReady: (listener) => availability.onUsable(listener),
    isAnswering: () =>
      commands.ping().then(
        () => true,
        () => false,
      ),
    socketAdapter: (key) => createAdapter(commands, subscriber, { key }),
    channel: (name) => new RedisChannel(clients, name),
    nodeConnections: (prefix, own) => new NodeConnections(clients, prefix, own),
    counts: (name, nodes) => new RedisCounts(adding, name, nodes),
    close,
  };
  return clients;
}

/**
 * Handles rejections of `publish`, whose promises `@socket.io/redis-adapter` discards, because an unhandled one ends the
 * process (redis-adapter#425). Nothing is lost: other nodes find the events in the database.
 */
function surviveRejections(commands: Redis): void {
  const publish = commands.publish.bind(commands);
  commands.publish = ((...message: Parameters<typeof publish>) => {
    const answer = publish(...message);
    answer.catch(() => {});
    return answer;
  }) as typeof publish;
}
