import { expect, test } from 'vitest';
import { streamPosition } from '../../src/features/events/queries.ts';
import { createChannel, removeFromChannel } from '../../src/features/messages/channel-commands.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { randomWallet, startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';

async function conversation(server: TestServer) {
  const { gameId } = await server.createGame();
  const [ada, grace, eve] = await Promise.all([1, 2, 3].map(() => server.openSession(gameId)));
  if (!ada || !grace || !eve) throw new Error('no players');
  const { _id: channelId } = await server.services.db.write(createChannel, ada, [grace.wallet]);
  return { ada, grace, eve, channelId };
}

/** A signal only reaches live sockets. */
async function connect(server: { url: string }, { launcherJwt }: TestPlayer): Promise<TestLauncher> {
  const launcher = await connectLauncher(server.url, { launcherJwt });
  await settled(launcher);
  return launcher;
}

function typing({ received }: TestLauncher) {
  return received.filter(({ name }) => name === 'chat-messages typing');
}

test('typing is shown to the other participants only, and is not stored', async () => {
  await using server = await startTestServer();
  const { ada, grace, eve, channelId } = await conversation(server);
  using sender = await connect(server, ada);
  using participant = await connect(server, grace);
  using stranger = await connect(server, eve);
  const before = await server.services.db.read(streamPosition, `channel:${channelId}`);
  expect(await sender.call('sendTypingSignal', { channelId }, 'chat-messages')).toEqual({ success: true });
  const received = await participant.waitForEvent('chat-messages typing');
  expect(received.record).toEqual({ channelId, wallet: ada.wallet });
  expect(received.meta).toEqual({ stream: `channel:${channelId}` });
  await settled(sender, participant, stranger);
  expect([typing(sender), typing(stranger)]).toEqual([[], []]);
  expect(await server.services.db.read(streamPosition, `channel:${channelId}`)).toEqual(before);
});

test('continuous typing is forwarded once, per player and channel', async () => {
  await using server = await startTestServer();
  const { ada, grace, eve, channelId } = await conversation(server);
  const { _id: another } = await server.services.db.write(createChannel, ada, [grace.wallet, eve.wallet]);
  using sender = await connect(server, ada);
  using participant = await connect(server, grace);
  for (let again = 0; again < 20; again++) {
    await sender.call('sendTypingSignal', { channelId });
    await sender.call('sendTypingSignal', { channelId: another });
  }
  await settled(participant);
  expect(typing(participant).map(({ record }) => record.channelId)).toEqual([channelId, another]);
});

test('typing of a muted player is shown to nobody, in the channel or in all of the game', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, channelId } = await conversation(server);
  const { _id: another } = await db.write(createChannel, grace, [ada.wallet, randomWallet()]);
  using sender = await connect(server, ada);
  using participant = await connect(server, grace);
  const type = async (where: string) => {
    await sender.call('sendTypingSignal', { channelId: where });
    await settled(sender, participant);
    return typing(participant).map(({ record }) => record.channelId);
  };
  await db.write(mute, ada, channelId, 'server', { seconds: 60, reason: '' });
  expect(await type(channelId)).toEqual([]);
  expect(await type(another)).toEqual([another]);
  await db.write(mute, grace, null, 'server', { seconds: 60, reason: '' });
  expect(await type(channelId)).toEqual([another]);
  await db.write(mute, ada, channelId, 'server', { seconds: 0, reason: '' });
  await db.write(mute, ada, null, 'server', { seconds: 60, reason: '' });
  expect(await type(channelId)).toEqual([another]);
  await db.write(mute, ada, null, 'server', { seconds: 0, reason: '' });
  expect(await type(channelId)).toEqual([another, channelId]);
});

test('typing in a channel that everyone else has left is shown to nobody', async () => {
  await using server = await startTestServer();
  const { ada, grace, eve, channelId } = await conversation(server);
  await server.services.db.write(removeFromChannel, grace, channelId, grace.wallet);
  using sender = await connect(server, ada);
  using former = await connect(server, grace);
  using stranger = await connect(server, eve);
  await sender.call('sendTypingSignal', { channelId });
  await settled(sender, former, stranger);
  expect([sender, former, stranger].flatMap(typing)).toEqual([]);
});

test('a player cannot type in a channel without being in it', async () => {
  await using server = await startTestServer();
  const { eve, channelId } = await conversation(server);
  using stranger = await connect(server, eve);
  await expect(stranger.call('sendTypingSignal', { channelId })).rejects.toMatchObject({
    data: { reason: 'channel_unknown' },
  });
});

test('typing reaches participants on another node', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const gameId = await data.createGame();
  const [ada, grace] = await Promise.all([1, 2].map(() => data.openSession(gameId)));
  if (!ada || !grace) throw new Error('no players');
  const { _id: channelId } = await data.db.write(createChannel, ada, [grace.wallet]);
  using sender = await connect(near, ada);
  using participant = await connect(far, grace);
  await sender.call('sendTypingSignal', { channelId });
  expect((await participant.waitForEvent('chat-messages typing')).record).toEqual({
    channelId,
    wallet: ada.wallet,
  });
  await settled(participant);
  expect(typing(participant)).toHaveLength(1);
});
