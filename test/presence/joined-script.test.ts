import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JoinedScript } from '../../src/cluster/redis/joined-script.ts';
import { redisMissing, startRedis, type TestRedis } from '../support/redis.ts';

describe.skipIf(redisMissing !== null)(redisMissing ?? 'runs of a script', () => {
  let redis: TestRedis;
  let client: Redis;
  let script: JoinedScript<string>;
  beforeAll(async () => {
    redis = await startRedis();
    client = new Redis(redis.url);
    script = new JoinedScript(client, {
      name: 'appendTwice',
      keys: ['one', 'other'],
      args: ['first', 'second'],
      before: `local separator = '-'`,
      lua: `redis.call('APPEND', one, first)
        redis.call('APPEND', other, second)
        return first .. separator .. redis.call('GET', one) .. redis.call('GET', other)`,
    });
    await script.runAll([runOf('loaded')]);
  });
  afterAll(async () => {
    client.disconnect();
    await redis[Symbol.asyncDispose]();
  });

  const runOf = (id: number | string) => ({ keys: [`a${id}`, `b${id}`], args: [id, `(${id})`] });
  const repliesTo = (ids: readonly number[]) => ids.map((id) => `${id}-${id}(${id})`);
  /** How many commands ran the script meanwhile. */
  async function scriptsDuring(work: () => Promise<unknown>): Promise<number> {
    await redis.command('CONFIG', 'RESETSTAT');
    await work();
    const info = await redis.command('INFO', 'commandstats');
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
  }

  test('are one command for a hundred, with a reply for each', async () => {
    const ids = Array.from({ length: 250 }, (_, at) => at);
    let replies: string[] = [];
    const work = async () => {
      replies = await script.runAll(ids.map(runOf));
    };
    expect(await scriptsDuring(work)).toBe(3);
    expect(replies).toEqual(repliesTo(ids));
    expect(await script.runAll([])).toEqual([]);
  });

  test('are one command for all that are asked for in a turn of the event loop', async () => {
    const ids = [1001, 1002, 1003, 1004];
    const replies: string[] = [];
    const run = async (id: number) => replies.push(await script.run(runOf(id)));
    const work = async () => {
      const early = ids.slice(0, 3).map(run);
      const late = Promise.resolve().then(() => run(1004));
      await Promise.all([...early, late]);
    };
    expect(await scriptsDuring(work)).toBe(1);
    expect(replies).toEqual(repliesTo(ids));
    await run(1005); // in a later turn
    expect(replies.at(-1)).toBe('1005-1005(1005)');
  });

  test('all fail when one of them does, and later ones work', async () => {
    await client.lpush('a2002', 'a list');
    const outcomes = await Promise.allSettled([2001, 2002].map((id) => script.run(runOf(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await script.run(runOf(2003))).toBe('2003-2003(2003)');
  });
});
