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

test.skipIf(redisMissing !== null)(
  'while Redis is away, both connections are tried again four times a second, so that nodes soon know each other again',
  async () => {
    await using redis = await startRedis();
    const clients = await connectRedis(redis.url, pino({ level: 'silent' }));
    try {
      const connections = [clients.commands, clients.subscriber].map((client) => {
        const pauses: number[] = [];
        client.on('reconnecting', (ms: number) => pauses.push(ms));
        return pauses;
      });
      await redis.kill();
      await until('several attempts', () => connections.every(({ length }) => length >= 5));
      for (const pauses of connections) expect(pauses.slice(0, 5)).toEqual([100, 200, 250, 250, 250]);
    } finally {
      clients.close();
    }
  },
);
