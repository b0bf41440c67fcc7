import { expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { isOnPostgres } from '../support/engine.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startLossyRedis } from '../support/lossy-redis.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { type Sender, startSending } from './message-sender.ts';

const seconds = Number(process.env.LOSSY_BUS_SECONDS ?? 5);
const nodeCount = 3;
const players = 12;
/**
 * From a message's commit to the slowest launcher: other nodes' events are polled every second. What a busy machine takes
 * besides, for committing and delivering it, and once more for reading and delivering it on another node, is measured
 * where no bus is between them.
 */
const mostMs = 1_500;

const engines = isOnPostgres ? ['PostgreSQL'] : ['SQLite', 'PostgreSQL'];

test.for(engines)(
  'three nodes on %s that lose half of the messages between them deliver every event once, in order, at most 1.5 s late',
  async (engine, { skip }) => {
    const onPostgres = engine === 'PostgreSQL' && !isOnPostgres;
    const missing = redisMissing ?? (engine === 'PostgreSQL' ? noPostgres : null);
    skip(missing !== null, missing ?? '');
    await using redis = await startRedis();
    const database = onPostgres
      ? { DATABASE_URL: (await freshSchema()).url, GANTRY_SECRET_KEY: '5e'.repeat(32) }
      : {};
    await using data = await openSharedData(database);
    await using stack = new AsyncDisposableStack();
    const buses = await Promise.all(
      Array.from({ length: nodeCount }, async () => stack.use(await startLossyRedis(redis.url))),
    );
    const urls: string[] = [];
    for (const { url } of buses) {
      const node = await startClusterNode({ DATA_DIR: data.path, ...database, REDIS_URL: url });
      urls.push(stack.use(node).url);
    }

    const gameId = await data.createGame();
    const everyone = await Promise.all(Array.from({ length: players }, () => data.openSession(gameId)));
    const channels = await Promise.all(
      [everyone.slice(0, 6), everyone.slice(6), everyone.slice(3, 9)].map(async (participants) => {
        const [creator, ...others] = participants;
        if (!creator) throw new Error('a channel without members');
        const wallets = others.map(({ wallet }) => wallet);
        return { id: (await data.db.write(createChannel, creator, wallets))._id, participants };
      }),
    );
    const launchers = await Promise.all(
      everyone.map(async (player, at) => {
        const { launcherJwt } = player;
        const launcher = await connectLauncher(urls[at % urls.length] ?? '', { launcherJwt });
        await launcher.streams();
        const took: { ms: number; isFromOwnNode: boolean }[] = [];
        const messages: { id: string; stream: string; seq: number }[] = [];
        launcher.socket.on(
          'chat-messages created',
          (
            record: { _id: string; content: string; createdAt: string | number },
            meta: { stream: string; seq: number },
          ) => {
            const ms = Date.now() - new Date(record.createdAt).getTime();
            // They are sent to the nodes in turn.
            const isFromOwnNode = Number(record.content.split(' ')[1]) % nodeCount === at % nodeCount;
            took.push({ ms, isFromOwnNode });
            messages.push({ id: record._id, stream: meta.stream, seq: meta.seq });
          },
        );
        return { launcher, player, took, messages };
      }),
    );
    const senders: Sender[] = [];
    // Many, each of which reveals a gap before it; then some with nothing after them, like any last one.
    for (const perSecond of [60, 0.8]) {
      const sender = startSending({ urls, perSecond, channels });
      senders.push(sender);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000)); // how long messages are sent
      await sender.stop();
    }
    const wanted = (wallet: string) =>
      channels
        .filter(({ participants }) => participants.some((one) => one.wallet === wallet))
        .flatMap(({ id }) => senders.flatMap((one) => [...(one.acknowledged.get(`channel:${id}`) ?? [])]));
    await until('everything received', () =>
      launchers.every(({ player, messages }) => messages.length >= wanted(player.wallet).length),
    );

    for (const { player, messages } of launchers) {
      expect(messages.map(({ id }) => id).sort()).toEqual(wanted(player.wallet).sort());
      for (const [stream, received] of Map.groupBy(messages, (one) => one.stream)) {
        const seqs = received.map(({ seq }) => seq);
        expect([stream, seqs]).toEqual([stream, seqs.map((_, at) => (seqs[0] ?? 0) + at)]);
      }
    }
    const took = launchers.flatMap((one) => one.took).sort((one, other) => one.ms - other.ms);
    const at = (share: number) => took[Math.ceil((took.length - 1) * share)]?.ms ?? Number.NaN;
    const slowestOnOwnNode = took.findLast(({ isFromOwnNode }) => isFromOwnNode)?.ms ?? Number.NaN;
    const acknowledged = senders.reduce((sum, { counts }) => sum + counts.acknowledged, 0);
    const told = {
      engine,
      acknowledged,
      received: took.length,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      slowestOnOwnNode,
      bus: buses.map(({ counts }) => counts),
    };
    process.stdout.write(`lossy bus: ${JSON.stringify(told)}\n`);
    expect(at(1)).toBeLessThan(mostMs + 2 * slowestOnOwnNode);
    // Otherwise the run tested nothing.
    for (const { counts } of buses) expect(counts.lost).toBeGreaterThan(20);
    expect(acknowledged).toBeGreaterThan(seconds * 30);
    for (const { launcher } of launchers) launcher[Symbol.dispose]();
  },
);
