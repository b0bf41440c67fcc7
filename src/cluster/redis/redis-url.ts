import type { RedisOptions } from 'ioredis';
import { z } from 'zod';

/** The options of a client, but for the mapping of replies, which is part of its type. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

const defaultSentinelPort = 26_379;

/** The parts of a URL of sentinels: protocol, credentials, hosts, database, parameters and the master's name. */
const sentinelForm = /^(rediss?)-sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d*))?(?:\?([^#]*))?#(.+)$/;

/** A REDIS_URL: one server, or sentinels (see `sentinelOptions`). */
export const redisUrl = z
  .string()
  .refine(
    (text) => (/^rediss?:\/\/./.test(text) ? URL.canParse(text) : sentinelOptions(text) !== null),
    'must be redis://host:port, rediss://host:port or redis-sentinel://host:port,host:port#master',
  );

/**
 * The client's options for a URL of sentinels, which name the current master, in the form of Lettuce:
 * `redis-sentinel://[[user:]password@]host[:port][,host[:port]…][/database][?sentinelPassword=…]#master`, or
 * `rediss-sentinel://` for TLS to both. The user and password are those of Redis; `sentinelUsername` and
 * `sentinelPassword` those of the sentinels. Null when it is not one.
 */
export function sentinelOptions(url: string): ClientOptions | null {
  const found = sentinelForm.exec(url);
  if (!found) return null;
  const [, protocol, user = '', hosts = '', database = '', search, name = ''] = found;
  const sentinels = hosts.split(',').map((host) => URL.parse(`redis://${host}`));
  if (!sentinels.every((one) => one !== null)) return null;
  const colon = user.indexOf(':');
  const [username, password] = [user.slice(0, Math.max(colon, 0)), user.slice(colon + 1)];
  const parameters = new URLSearchParams(search);
  const options = {
    sentinels: sentinels.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? defaultSentinelPort : Number(port),
    })),
    name: decodeURIComponent(name),
  };
  return Object.assign(
    options,
    username && { username: decodeURIComponent(username) },
    password && { password: decodeURIComponent(password) },
    database && { db: Number(database) },
    parameters.has('sentinelUsername') && { sentinelUsername: parameters.get('sentinelUsername') },
    parameters.has('sentinelPassword') && { sentinelPassword: parameters.get('sentinelPassword') },
    protocol === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true },
  );
}

/** The addresses in a REDIS_URL, for messages: without its credentials. */
export function redisHosts(url: string): string {
  const { sentinels } = sentinelOptions(url) ?? {};
  return sentinels
    ? `the Redis of the sentinels ${sentinels.map(({ host, port }) => `${host}:${port}`).join(', ')}`
    : new URL(url).host;
}
