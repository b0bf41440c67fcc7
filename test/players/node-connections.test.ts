import pino from 'pino';
import { expect, test } from 'vitest';
import { connectRedis } from '../../src/cluster/redis/redis-clients.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

test.skipIf(redisMissing !== null)(
  'Redis tells which nodes have ended; nothing is said of others by one that it does not know',
  async () => {
    await using redis = await startRedis();
    const connect = () => connectRedis(redis.url, pino({ level: 'silent' }));
    const [clients, others] = [await connect(), await connect()];
    try {
      const own = clients.nodeConnections('gantry', 'own');
      others.nodeConnections('gantry', 'other');
      await until('both', async () => (await own.closedAmong(['other', 'gone'])).join() === 'gone');
      others.close();
      await until('one', async () => (await own.closedAmong(['other', 'gone'])).join() === 'other,gone');
      await clients.subscriber.unsubscribe('gantry:node:own');
      expect(await own.closedAmong(['gone'])).toEqual([]);
      await redis.kill();
      expect(await own.closedAmong(['gone'])).toEqual([]);
    } finally {
      others.close();
      clients.close();
    }
  },
);
