import { parseArgs } from 'node:util';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { startBalancer } from '../support/balancer.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { get } from '../support/http.ts';
import { type ListeningClient, listen } from '../support/listening-client.ts';
import type { TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';
import { type Balance, balance, isCaughtUp } from './ledger-book.ts';
import { type SenderCounts, startSending } from './message-sender.ts';

export interface SlowReaderOptions {
  /** Sockets that stop reading. */
  slow: number;
  /** Sockets that keep reading. */
  healthy: number;
  messagesPerSecond: number;
}

export interface SlowReaderCounts extends SlowReaderOptions, SenderCounts {
  /** Sockets the server closed because they did not read. */
  closed: number;
  /** Sockets closed for the same reason while they were catching up. */
  closedAgain: number;
  /** The maximum queued for one of them when it was closed, in bytes. */
  mostQueued: number;
  /** The increase of the server's resident memory over its value with everyone reading, in bytes. */
  grownBytes: number;
  /** From the write to the launcher, for those that read, while the others did not; in milliseconds. */
  p50: number;
  p99: number;
  healthyConnections: number;
  theHealthy: Balance;
  theReturned: Balance;
  caughtUp: boolean;
}

/** 12 KB on the wire, so that a socket's buffers fill in seconds. */
const content = '漢'.repeat(4_000);
const warmUpMessages = 300;
/**
 * No more is sent while one of those that read has this many messages to read: they all read in this process, and on a
 * busy machine the server would close them too, at 1 MiB.
 */
const mostUnread = 40;

/**
 * Some launchers in a busy channel stop reading; they must be closed, the server must not grow, the others must not be
 * affected, and the slow ones must catch up by themselves once they read again.
 */
export async function runSlowReaders(options: SlowReaderOptions): Promise<SlowReaderCounts> {
  await using data = await openSharedData();
  const adminToken = 'the-admin-token-of-this-suite';
  await using node = await startClusterNode({ DATA_DIR: data.path, ADMIN_TOKEN: adminToken });
  await using stalling = await startBalancer([node.port]);
  const gameId = await data.createGame();
  const players = await Promise.all(
    Array.from({ length: options.slow + options.healthy }, () => data.openSession(gameId)),
  );
  const [creator, ...others] = players;
  if (!creator) throw new Error('there are no participants');
  const { _id: channelId } = await data.db.write(
    createChannel,
    creator,
    others.map(({ wallet }) => wallet),
  );
  const connect = async (player: TestPlayer, url: string) => {
    const listening = listen({ url, launcherJwt: player.launcherJwt });
    await listening.client.ready();
    const one = { player, listening, read: 0 };
    listening.client.on('chat-messages created', () => one.read++);
    return one;
  };
  const slow = await Promise.all(players.slice(0, options.slow).map((one) => connect(one, stalling.url)));
  const healthy = await Promise.all(players.slice(options.slow).map((one) => connect(one, node.url)));
  let reading = [...slow, ...healthy];
  const latencies: number[] = [];
  for (const { listening } of healthy) {
    listening.client.on('chat-messages created', ({ createdAt }) => latencies.push(Date.now() - createdAt));
  }

  const sender = startSending({
    urls: [node.url],
    perSecond: options.messagesPerSecond,
    channels: [{ id: channelId, participants: players }],
    content: () => content,
    pauses: (sent) => reading.some(({ read }) => sent - read > mostUnread),
  });
  let most = 0;
  const watch = setInterval(async () => {
    most = Math.max(most, await node.rssBytes());
  }, 50);
  await until('warm', () => sender.counts.acknowledged >= warmUpMessages);
  const before = most;
  latencies.length = 0;
  stalling.stall();
  reading = healthy;
  const queued = () => [...node.log().matchAll(/"queuedBytes":(\d+)/g)].map(([, bytes]) => Number(bytes));
  /** The log has the first of each minute only. */
  const closedSoFar = async () => {
    const { body } = await get(`${node.url}/metrics`, bearer(adminToken));
    return Number(/^gantry_disconnects_total\{reason="slow-reader"\} (\d+)$/m.exec(String(body))?.[1] ?? 0);
  };
  await until('every slow reader closed', async () => (await closedSoFar()) >= options.slow);
  clearInterval(watch);
  const grownBytes = most - before;
  const sorted = latencies.toSorted((one, other) => one - other);
  const [closed, queuedBytes] = [await closedSoFar(), queued()];

  stalling.resume();
  await sender.stop();
  const caughtUp = await until('everyone caught up', () => isCaughtUp(data.db, [...slow, ...healthy])).catch(
    () => false,
  );
  const counts = {
    ...options,
    ...sender.counts,
    closed,
    closedAgain: (await closedSoFar()) - closed,
    mostQueued: Math.max(...queuedBytes),
    grownBytes,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    healthyConnections: total(healthy, (one) => one.connections()),
    theHealthy: await balance(data.db, healthy, sender.acknowledged),
    theReturned: await balance(data.db, slow, sender.acknowledged),
    caughtUp,
  };
  for (const { listening } of [...slow, ...healthy]) listening.client.close();
  return counts;
}

function total(
  clients: readonly { listening: ListeningClient }[],
  count: (one: ListeningClient) => number,
): number {
  return clients.reduce((sum, { listening }) => sum + count(listening), 0);
}

/** `node test/live/slow-reader.ts --slow 50 --healthy 150 --rate 50` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      slow: { type: 'string', default: '50' },
      healthy: { type: 'string', default: '150' },
      rate: { type: 'string', default: '50' },
    },
  });
  const counts = await runSlowReaders({
    slow: Number(values.slow),
    healthy: Number(values.healthy),
    messagesPerSecond: Number(values.rate),
  });
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
}

if (import.meta.main) await main();
