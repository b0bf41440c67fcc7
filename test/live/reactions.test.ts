import { expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

async function conversation(server: TestServer) {
  const { gameId } = await server.createGame();
  const [ada, grace, eve] = [
    await server.openSession(gameId),
    await server.openSession(gameId),
    await server.openSession(gameId),
  ];
  const { db } = server.services;
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  const { _id: messageId } = await db.write(sendMessage, ada, channelId, 'We won');
  return { ada, grace, eve, channelId, messageId };
}

/** A launcher's reaction events in the order received: type, reaction and count. */
const toldTo = ({ received }: TestLauncher) =>
  received
    .filter(({ name }) => name.startsWith('message-reactions '))
    .map(({ name, record }) => `${name.split(' ')[1]} ${record.reaction} ${record.count}`);

test('reactions are delivered once and in order to everyone in the channel, and to nobody else', async () => {
  await using server = await startTestServer();
  const { ada, grace, eve, channelId, messageId } = await conversation(server);
  using hers = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  using his = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  using stranger = await connectLauncher(server.url, { launcherJwt: eve.launcherJwt });
  await settled(hers, his, stranger);
  await his.call('addReaction', { messageId, reaction: '🎉' }, 'chat-messages');
  await hers.call('addReaction', { messageId, reaction: '🎉' });
  await hers.call('addReaction', { messageId, reaction: '🎉' });
  await his.call('addReaction', { messageId, reaction: 'gg' });
  await his.call('removeReaction', { messageId, reaction: '🎉' });
  await settled(hers, his, stranger);
  const expected = ['created 🎉 1', 'created 🎉 2', 'created gg 1', 'removed 🎉 1'];
  expect([toldTo(hers), toldTo(his), toldTo(stranger)]).toEqual([expected, expected, []]);
  expect((await hers.waitForEvent('message-reactions created')).record).toMatchObject({
    channelId,
    messageId,
    wallet: grace.wallet,
    reaction: '🎉',
    count: 1,
  });
});

test('a player who was offline receives missed reactions by cursor, once and in order', async () => {
  await using server = await startTestServer();
  const { ada, grace, messageId, channelId } = await conversation(server);
  const before = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  await settled(before);
  using hers = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  await hers.call('addReaction', { messageId, reaction: 'e0' });
  await until('the first one', () => toldTo(before).length === 1);
  const streams = await before.streams();
  const cursors: Record<string, { epoch: string; seq: number }> = {};
  for (const [stream, { epoch, seq }] of Object.entries(streams)) cursors[stream] = { epoch, seq };
  for (const { meta } of before.received) {
    if (meta.seq !== undefined) cursors[meta.stream] = { epoch: meta.epoch, seq: meta.seq };
  }
  before.socket.disconnect();
  for (let n = 1; n < 10; n++) await hers.call('addReaction', { messageId, reaction: `e${n}` });
  await hers.call('removeReaction', { messageId, reaction: 'e0' });
  using again = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  await hers.call('addReaction', { messageId, reaction: 'last' });
  await until('the last one', () => toldTo(again).includes('created last 1'));
  await settled(again);
  const missed = Array.from({ length: 9 }, (_, n) => `created e${n + 1} 1`);
  expect(toldTo(again)).toEqual([...missed, 'removed e0 0', 'created last 1']);
  const seqs = again.received
    .filter(({ meta }) => meta.stream === `channel:${channelId}`)
    .map(({ meta }) => meta.seq);
  expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] ?? 0) + n));
});

test('concurrent reactions on two nodes result in the same counts on both', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const gameId = await data.createGame();
  const [ada, grace] = [await data.openSession(gameId), await data.openSession(gameId)];
  const { _id: channelId } = await data.db.write(createChannel, ada, [grace.wallet]);
  const { _id: messageId } = await data.db.write(sendMessage, ada, channelId, 'We won');
  using hers = await connectLauncher(near.url, { launcherJwt: ada.launcherJwt });
  using his = await connectLauncher(far.url, { launcherJwt: grace.launcherJwt });
  await settled(hers, his);
  const kinds = Array.from({ length: 10 }, (_, n) => `e${n}`);
  await Promise.all(
    kinds.flatMap((reaction) => [hers, his].map((one) => one.call('addReaction', { messageId, reaction }))),
  );
  await until('both to know', () => toldTo(hers).length === 20 && toldTo(his).length === 20);
  await settled(hers, his);
  expect(toldTo(his)).toEqual(toldTo(hers));
  const last = new Map(toldTo(hers).map((told) => told.split(' ').slice(1) as [string, string]));
  expect([...last].toSorted()).toEqual(kinds.map((kind) => [kind, '2']));
});
