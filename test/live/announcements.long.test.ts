import { describe, expect, test } from 'vitest';
import { finishMaintenance, putMaintenance } from '../../src/features/maintenance/commands.ts';
import { addNews } from '../../src/features/news/commands.ts';
import { lastPublication } from '../../src/features/news/queries.ts';
import { createWebhook, listWebhookDeliveries } from '../../src/features/webhooks/operations/webhooks.ts';
import { overHttp } from '../support/administration.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

const secretKey = 'a4'.repeat(32);
const adminToken = 'an-admin-token-of-both-nodes';

/** What two nodes share besides the data directory. */
interface Shared {
  settings: Record<string, string>;
  redis?: Record<string, string>;
  close?(): Promise<void>;
}

const engines: { what: string; missing: string | null; start(): Promise<Shared> }[] = [
  { what: 'two processes on one SQLite file', missing: null, start: async () => ({ settings: {} }) },
  {
    what: 'two nodes on PostgreSQL and Redis',
    missing: noPostgres ?? redisMissing,
    async start() {
      const [database, redis] = [await freshSchema(), await startRedis()];
      return {
        settings: { DATABASE_URL: database.url, GANTRY_SECRET_KEY: secretKey },
        redis: { REDIS_URL: redis.url },
        async close() {
          await redis[Symbol.asyncDispose]();
          await database[Symbol.asyncDispose]();
        },
      };
    },
  },
];

/** The titles of news that a launcher or game has heard. */
function heard({ received }: TestLauncher): unknown[] {
  return received.filter(({ name }) => name === 'news created').map(({ record }) => record.title);
}

/** How often it was told of maintenance. */
function told({ received }: TestLauncher): number {
  return received.filter(({ name }) => name === 'maintenance patched').length;
}

describe.each(engines)('news and maintenance, on $what', ({ missing, start }) => {
  test('are announced once, also when the process that set or published them ends at that moment', async ({
    skip,
  }) => {
    skip(missing !== null, missing ?? '');
    const shared = await start();
    const data = await openSharedData(shared.settings);
    const variables = {
      ...{ DATA_DIR: data.path, ADMIN_TOKEN: adminToken, WEBHOOK_ALLOW_LOOPBACK: 'on' },
      ...shared.settings,
      ...shared.redis,
    };
    const [one, other] = await Promise.all([startClusterNode(variables), startClusterNode(variables)]);
    try {
      const gameId = await data.createGame();
      const launcherGame = await data.createGame({ kind: 'launcher' });
      const admin = overHttp({ url: other.url, adminToken });
      const { webhook } = await admin.call(createWebhook, { gameId, url: 'http://127.0.0.1:9/' });
      const connect = async ({ url }: { url: string }, game: string) => {
        const { launcherJwt } = await data.openSession(game);
        const connected = await connectLauncher(url, { launcherJwt });
        await settled(connected);
        return connected;
      };
      using launcher = await connect(other, launcherGame);
      using game = await connect(other, gameId);
      using stranger = await connect(other, await data.createGame());
      const titles: string[] = [];
      const publish = async (title: string, publishAt = Date.now()) => {
        titles.push(title);
        await data.db.write(addNews, gameId, { title, publishAt });
      };

      // This process has no sockets: as one that ends when it has written.
      await publish('by a process that ends');
      await until('it is announced', () => heard(launcher).length === titles.length);
      const hour = 60 * 60 * 1000;
      const times = { from: Date.now() + hour, until: Date.now() + 2 * hour };
      using atFirst = await connect(one, launcherGame);
      await data.db.write(putMaintenance, { gameId, ...times, message: '' });
      await until('it is told', () => told(launcher) === 1 && told(atFirst) === 1);
      await data.db.write(finishMaintenance, gameId);
      await until('it is told that it is over', () => told(launcher) === 2 && told(atFirst) === 2);
      await settled(launcher, atFirst);
      expect([told(launcher), told(atFirst)]).toEqual([2, 2]);

      const before = await data.db.read(lastPublication);
      await publish('at a time, before a kill', Date.now() + 500);
      other.freeze(); // so that the one publishes
      await until('it is published', async () => {
        return (await data.db.read(lastPublication)).newsId !== before.newsId;
      });
      await one.kill();
      other.thaw();
      await until('it is announced', () => heard(launcher).length === titles.length);
      expect(new Set(heard(atFirst)).size).toBe(heard(atFirst).length);
      await one.start();
      using again = await connect(one, launcherGame);
      expect(heard(again)).toEqual([]);
      const { unread, news } = Object(await again.call('listNews'));
      expect([unread, news[0]]).toMatchObject([titles.length, { title: titles.at(-1), read: false }]);
      await publish('with both', Date.now() + 300);
      await until('it is announced by both', () => {
        return heard(again).length === 1 && heard(launcher).length === titles.length;
      });
      await settled(launcher, game, stranger, again);
      expect(heard(launcher)).toEqual(titles);
      expect(heard(game)).toEqual(titles);
      expect(heard(stranger)).toEqual([]);
      expect(heard(again)).toEqual(['with both']);
      const { data: deliveries } = await admin.call(listWebhookDeliveries, { webhookId: webhook.webhookId });
      const announced = deliveries
        .map(({ event }) => event)
        .filter((event) => event !== 'game_channels.patched');
      expect(announced.toSorted()).toEqual([
        ...['maintenance.patched', 'maintenance.patched'],
        ...titles.map(() => 'news.created'),
      ]);
    } finally {
      await Promise.all([one, other].map((node) => node.kill()));
      await data[Symbol.asyncDispose]();
      await shared.close?.();
    }
  });
});
