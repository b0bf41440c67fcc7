import { expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { get } from '../support/http.ts';
import { type ListeningClient, listen } from '../support/listening-client.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';
import { openSharedData, type SharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { isCaughtUp } from './ledger-book.ts';
import { startSending } from './message-sender.ts';

/** Other nodes' events are polled every second; the rest is for a busy machine. */
const withinAboutASecond = 2_500;

const degraded = {
  status: 'degraded',
  reason: 'Redis cannot be reached',
  database: 'ready',
  redis: 'unavailable',
};
const ready = { status: 'ready', database: 'ready', redis: 'ready' };

/** A channel of two players, and how they send. */
async function conversation(data: SharedData) {
  const gameId = await data.createGame();
  const ada = await data.openSession(gameId);
  const grace = await data.openSession(gameId);
  const { _id: channelId } = await data.db.write(createChannel, ada, [grace.wallet]);
  return { ada, grace, channel: { id: channelId, participants: [ada, grace] } };
}

async function readiness(node: ClusterNode): Promise<unknown> {
  return (await get(`${node.url}/readyz`)).body;
}

function saysReadiness(node: ClusterNode, wanted: { status: string }): Promise<unknown> {
  return until(
    `readiness ${wanted.status}`,
    async () => JSON.stringify(await readiness(node)) === JSON.stringify(wanted),
    15_000,
  );
}

async function connect(node: ClusterNode, player: TestPlayer): Promise<ListeningClient> {
  const listening = listen({ url: node.url, launcherJwt: player.launcherJwt });
  await listening.client.ready();
  return listening;
}

function messages({ received }: ListeningClient): unknown[] {
  return received.filter(({ name }) => name === 'chat-messages created').map(({ record }) => record.content);
}

async function waitForMessage(who: ListeningClient, content: string, withinMs: number): Promise<void> {
  await until(`receiving "${content}"`, () => messages(who).includes(content), withinMs);
}

test('Redis killed under load takes no node down: local launchers still receive immediately, others soon after, and nothing is lost', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const { ada, grace, channel } = await conversation(data);
  using local = await connect(near, ada);
  using remote = await connect(far, grace);
  expect(await readiness(near)).toEqual(ready);

  const sender = startSending({ urls: [near.url], perSecond: 100, channels: [channel] });
  await until('load', () => messages(remote).length > 100);
  await redis.kill();
  await Promise.all([saysReadiness(near, degraded), saysReadiness(far, degraded)]);
  const heardBefore = messages(local).length;
  await until('local launchers still receive', () => messages(local).length > heardBefore + 100);

  // One more message, by itself, to measure the delay to either side.
  const { content } = await data.db.write(sendMessage, ada, channel.id, 'while Redis is away');
  await Promise.all([
    waitForMessage(local, content, withinAboutASecond),
    waitForMessage(remote, content, withinAboutASecond),
  ]);

  await redis.start();
  await Promise.all([saysReadiness(near, ready), saysReadiness(far, ready)]);
  await sender.stop();
  const everyone = [
    { player: ada, listening: local },
    { player: grace, listening: remote },
  ];
  await until('everyone caught up', () => isCaughtUp(data.db, everyone));
  expect(messages(remote)).toEqual(messages(local));
  expect(new Set(messages(local)).size).toBe(sender.counts.acknowledged + 1);
  expect(sender.counts.unknownOutcomes).toBe(0);
  expect([near.crashes(), far.crashes()]).toEqual([0, 0]);
  expect([local.connections(), remote.connections()]).toEqual([1, 1]);
  await Promise.all([near, far].map(async (node) => expect((await node.stop()).exitCode).toBe(0)));
});

test("while Redis works, one node's writes reach the launchers of the other through it, not by polling", async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const { ada, grace, channel } = await conversation(data);
  using remote = await connect(far, grace);
  const latencies: number[] = [];
  using sending = listen({ url: near.url, launcherJwt: ada.launcherJwt, callOver: 'http' });
  for (let number = 0; number < 20; number++) {
    const from = performance.now();
    await sending.client.call('sendChannelMessage', { channelId: channel.id, content: `message ${number}` });
    await waitForMessage(remote, `message ${number}`, withinAboutASecond);
    latencies.push(performance.now() - from);
  }
  latencies.sort((one, other) => one - other);
  expect(latencies[10]).toBeLessThan(250);
});

test('a node starts without Redis, serves, reports it, joins the others when Redis comes up, and stops cleanly without it', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await redis.kill();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const { ada, grace, channel } = await conversation(data);
  expect(await readiness(near)).toEqual(degraded);

  using local = await connect(near, ada);
  using remote = await connect(far, grace);
  await local.client.call('sendChannelMessage', { channelId: channel.id, content: 'without Redis' });
  await Promise.all([local, remote].map((one) => waitForMessage(one, 'without Redis', withinAboutASecond)));
  expect(await local.client.call('channelStatus')).toMatchObject({ exists: true, present: true });

  await redis.start();
  await Promise.all([saysReadiness(near, ready), saysReadiness(far, ready)]);
  await local.client.call('sendChannelMessage', { channelId: channel.id, content: 'with Redis' });
  await Promise.all([local, remote].map((one) => waitForMessage(one, 'with Redis', withinAboutASecond)));

  await redis.kill();
  await saysReadiness(near, degraded);
  for (const node of [near, far]) expect(await node.stop()).toMatchObject({ exitCode: 0 });
  expect(near.log() + far.log()).not.toMatch(/unhandled|did not stop cleanly/i);
});

test('a node that never reached Redis stops cleanly', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path, REDIS_URL: 'redis://127.0.0.1:1' });
  expect(await node.stop()).toMatchObject({ exitCode: 0 });
  expect(node.log()).not.toMatch(/unhandled|did not stop cleanly/i);
});

test('a server that is closed while Redis is down leaves no unhandled rejection', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', note);
  const server = await startTestServer({ REDIS_URL: redis.url });
  await redis.kill();
  await until('the outage noticed', async () => {
    const { body } = await get(`${server.url}/readyz`);
    return JSON.stringify(body) === JSON.stringify(degraded);
  });
  await server.close();
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 50)); // a closing connection takes a few turns
  process.off('unhandledRejection', note);
  expect(rejections).toEqual([]);
});

test('a Redis that hangs with open connections is detected, and delays nobody', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const { ada, grace, channel } = await conversation(data);
  using local = await connect(near, ada);
  using remote = await connect(far, grace);

  redis.freeze();
  await local.client.call('sendChannelMessage', { channelId: channel.id, content: 'into the void' });
  await Promise.all([local, remote].map((one) => waitForMessage(one, 'into the void', withinAboutASecond)));
  await saysReadiness(near, degraded);
  using late = await connect(near, await data.openSession(ada.gameId, ada.wallet));
  await local.client.call('sendChannelMessage', { channelId: channel.id, content: 'still here' });
  await Promise.all(
    [local, remote, late].map((one) => waitForMessage(one, 'still here', withinAboutASecond)),
  );

  redis.thaw();
  await saysReadiness(near, ready);
  expect(await near.stop()).toMatchObject({ exitCode: 0 });
});
