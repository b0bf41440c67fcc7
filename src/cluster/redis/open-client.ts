import { Redis } from 'ioredis';
import { type ClientOptions, sentinelOptions } from './redis-url.ts';

/** A client for a REDIS_URL. */
export function openClient(url: string, options: ClientOptions): Redis {
  const sentinels = sentinelOptions(url);
  return sentinels ? new Redis({ ...sentinels, ...options }) : new Redis(url, options);
}
