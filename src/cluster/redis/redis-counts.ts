import type { Redis } from 'ioredis';
import type { Added, Addition, SharedCounts } from '../../core/window-counter.ts';
import { JoinedScript } from './joined-script.ts';

/** Returns `count`, `leased` and `msLeft`. The key expires with its window. */
export type AddScript = JoinedScript<[count: number, leased: number, msLeft: number]>;

/** One for each client, so that the counts of several limits are one command. */
export function addScript(redis: Redis): AddScript {
  return new JoinedScript(redis, {
    name: 'gantryAdd',
    keys: ['key'],
    args: ['calls', 'known', 'msLeft', 'points', 'most', 'parts'],
    lua: `local left = redis.call('PTTL', key)
      local count = known
      if left > 0 then count = redis.call('GET', key) else left = tonumber(msLeft) end
      count = count + calls
      local leased = math.max(0, math.min(most, math.ceil((points - count) / parts)))
      if calls + leased > 0 then redis.call('SET', key, count + leased, 'PX', left) end
      return {count, leased, left}`,
  });
}

/** The counts of a limit in Redis, by key. A count that Redis has lost is restored from what the next node knows. */
export class RedisCounts implements SharedCounts {
  readonly #script: AddScript;
  readonly #name: string;
  readonly nodes: () => number;

  /** `name`: the prefix of its keys. */
  constructor(script: AddScript, name: string, nodes: () => number) {
    this.#script = script;
    this.#name = name;
    this.nodes = nodes;
  }

  async add(key: string, { calls, known, msLeft, points, most, parts }: Addition): Promise<Added> {
    const [count, leased, left] = await this.#script.run({
      keys: [`${this.#name}:${key}`],
      args: [calls, known, Math.max(1, Math.ceil(msLeft)), points, most, parts],
    });
    return { count, leased, msLeft: left };
  }
}
