import { startRedis, type TestRedis } from '../support/redis.ts';

/** What a Redis has done so far. */
export interface RedisUse {
  /** CPU time of the whole server. */
  cpuSeconds: number;
  /** Scripts it was asked to run. */
  scripts: number;
}

/** A Redis on a free port that ends with this process at the latest. */
export async function startBenchRedis(): Promise<TestRedis> {
  const redis = await startRedis();
  const end = () => void redis.kill();
  process.once('exit', end);
  return {
    ...redis,
    async [Symbol.asyncDispose]() {
      process.off('exit', end);
      await redis[Symbol.asyncDispose]();
    },
  };
}

export async function redisUse(redis: TestRedis): Promise<RedisUse> {
  const info = await redis.command('INFO', 'all');
  const sumOf = (pattern: RegExp) =>
    [...info.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
  return {
    cpuSeconds: sumOf(/^used_cpu_(?:sys|user):([\d.]+)/gm),
    scripts: sumOf(/^cmdstat_(?:eval|evalsha):calls=(\d+)/gm),
  };
}
