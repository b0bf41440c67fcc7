import { Redis } from 'ioredis';
import { type ClientOptions, sentinelOptions } from './redis-url.ts';

/** A client that counts the commands it sends. */
export class CountingRedis extends Redis {
  sent = 0;

  override sendCommand(...command: Parameters<Redis['sendCommand']>): unknown {
    this.sent++;
    return super.sendCommand(...command);
  }
}

/** A client for a REDIS_URL. */
export function openClient(url: string, options: ClientOptions): CountingRedis {
  const sentinels = sentinelOptions(url);
  return sentinels ? new CountingRedis({ ...sentinels, ...options }) : new CountingRedis(url, options);
}
