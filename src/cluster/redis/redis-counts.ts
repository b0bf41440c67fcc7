import type { Redis } from 'ioredis';
import type { Added, Addition, SharedCounts } from '../../core/window-counter.ts';

/**
 * KEYS: the count, which expires with its window. ARGV: `calls`, `known`, `msLeft`, `points`, `most` and `parts` of the
 * addition. Returns `count`, `leased` and `msLeft`.
 */
const addScript = `
  local calls, known, points, most, parts =
    tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  local left = redis.call('PTTL', KEYS[1])
  local count = known
  if left > 0 then count = tonumber(redis.call('GET', KEYS[1])) else left = tonumber(ARGV[3]) end
  count = count + calls
  local leased = math.max(0, math.min(most, math.ceil((points - count) / parts)))
  if calls + leased > 0 then redis.call('SET', KEYS[1], count + leased, 'PX', left) end
  return {count, leased, left}`;

interface AddScript {
  gantryAdd(
    key: string,
    calls: number,
    known: number,
    msLeft: number,
    points: number,
    most: number,
    parts: number,
  ): Promise<[count: number, leased: number, msLeft: number]>;
}

/** The counts of a limit in Redis, by key. A count that Redis has lost is restored from what the next node knows. */
export class RedisCounts implements SharedCounts {
  readonly #redis: Redis & AddScript;
  readonly #name: string;
  readonly nodes: () => number;

  /** `name`: the prefix of its keys. */
  constructor(redis: Redis, name: string, nodes: () => number) {
    redis.defineCommand('gantryAdd', { numberOfKeys: 1, lua: addScript });
    this.#redis = redis as Redis & AddScript; // `defineCommand` has just made it
    this.#name = name;
    this.nodes = nodes;
  }

  async add(key: string, { calls, known, msLeft, points, most, parts }: Addition): Promise<Added> {
    const name = `${this.#name}:${key}`;
    const wholeMs = Math.max(1, Math.ceil(msLeft));
    const [count, leased, left] = await this.#redis.gantryAdd(
      name,
      calls,
      known,
      wholeMs,
      points,
      most,
      parts,
    );
    return { count, leased, msLeft: left };
  }
}
