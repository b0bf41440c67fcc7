import { expect, test } from 'vitest';
import { block, unblock } from '../../src/features/messages/blocks/commands.ts';
import { addToChannel, createChannel } from '../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { apiOf } from '../support/api.ts';
import { post } from '../support/http.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

async function conversation(server: TestServer) {
  const { gameId, gameSecret } = await server.createGame();
  const { db } = server.services;
  const [ada, grace, linus] = await Promise.all([1, 2, 3].map(() => server.openSession(gameId)));
  if (!ada || !grace || !linus) throw new Error('no players');
  const { _id: channelId } = await db.write(createChannel, linus, [ada.wallet, grace.wallet]);
  return { ada, grace, linus, channelId, gameSecret, db };
}

function messagesOf({ received }: Pick<TestLauncher, 'received'>) {
  return received.filter(({ name }) => name.startsWith('chat-messages'));
}

test("a blocked player's messages reach the blocking player in no way, and everyone else immediately", async () => {
  await using server = await startTestServer();
  const { ada, grace, linus, channelId, gameSecret, db } = await conversation(server);
  const phoneOfAda = await server.openSession(
    (await server.createGame({ kind: 'launcher' })).gameId,
    ada.wallet,
  );
  using blocker = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  using phone = await connectLauncher(server.url, { launcherJwt: phoneOfAda.launcherJwt });
  using other = await connectLauncher(server.url, { launcherJwt: linus.launcherJwt });
  using blocked = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  await settled(blocker, phone, other, blocked);
  expect(await blocker.call('blockPlayer', { wallet: grace.wallet })).toEqual({ success: true });
  await phone.waitForEvent('player-blocks patched');

  await blocked.call('sendTypingSignal', { channelId }, 'chat-messages');
  const sent = await db.write(sendMessage, grace, channelId, 'a canary sings');
  await db.write(editMessage, grace, sent._id, 'a canary sings again');
  await other.call('sendChannelMessage', { channelId, content: 'hello all' });
  await settled(blocker, phone, other, blocked);

  for (const deaf of [blocker, phone]) {
    expect(JSON.stringify(deaf.received)).not.toContain('canary');
    expect(messagesOf(deaf)).toMatchObject([{ record: { content: 'hello all' } }]);
    const inChannel = deaf.received.filter(({ meta }) => meta.stream === `channel:${channelId}`);
    const seqs = inChannel.map(({ meta }) => meta.seq);
    expect(seqs).toEqual([2, 3, 4]); // no gap that would affect a cursor
    expect(inChannel.slice(0, 2)).toMatchObject([
      { name: 'realtime-events skipped', record: {} },
      { name: 'realtime-events skipped', record: {} },
    ]);
  }
  expect(messagesOf(other).map(({ record }) => record.content)).toEqual(
    expect.arrayContaining(['a canary sings', 'a canary sings again', 'hello all']),
  );
  expect(blocked.received.map(({ name }) => name)).not.toContain('player-blocks patched');

  const listed = await apiOf(server).post('/launcher/get-channel-messages', {
    launcherJwt: ada.launcherJwt,
    channelId,
  });
  expect(listed.body).toMatchObject({ total: 1, data: [{ content: 'hello all' }] });
  const byServer = await post(
    `${server.url}/launcher/get-channel-messages`,
    { wallet: ada.wallet, channelId },
    { Authorization: `Bearer ${gameSecret}` },
  );
  expect(byServer.body).toMatchObject({ total: 2 });
});

test("a player blocked in a launcher reaches the blocking player in no game, and the player's launchers hear of it", async () => {
  await using server = await startTestServer();
  const rooms = [await conversation(server), await conversation(server)];
  const [first] = rooms;
  if (!first) throw new Error('no conversation');
  const launcherOf = async () =>
    server.openSession((await server.createGame({ kind: 'launcher' })).gameId, first.ada.wallet);
  const [own, second] = [await launcherOf(), await launcherOf()];
  using desktop = await connectLauncher(server.url, { launcherJwt: own.launcherJwt });
  using phone = await connectLauncher(server.url, { launcherJwt: second.launcherJwt });
  await settled(desktop, phone);
  const { grace, db, channelId } = first;
  // Ada is in the second game too, where Grace writes to her as well.
  const there = rooms[1]?.ada;
  if (!there) throw new Error('no conversation');
  const inGame = { gameId: there.gameId, wallet: grace.wallet };
  const { _id: otherChannel } = await db.write(createChannel, inGame, [first.ada.wallet]);
  await desktop.call('blockPlayer', { wallet: grace.wallet });
  const { record } = await phone.waitForEvent('player-blocks patched');
  expect(record).toMatchObject({ everywhere: true, normalizedAddress: first.ada.wallet });
  await db.write(sendMessage, grace, channelId, 'a canary sings');
  await db.write(sendMessage, inGame, otherChannel, 'a canary sings');
  await settled(desktop, phone);
  for (const deaf of [desktop, phone]) expect(JSON.stringify(deaf.received)).not.toContain('canary');
  await phone.call('unblockPlayer', { wallet: grace.wallet });
  await db.write(sendMessage, inGame, otherChannel, 'hello again');
  await settled(desktop, phone);
  for (const hearing of [desktop, phone]) {
    expect(messagesOf(hearing)).toMatchObject([{ record: { content: 'hello again' } }]);
  }
});

test('a replay by cursors skips hidden messages without a gap, and a client catches up in one connection', async () => {
  await using server = await startTestServer();
  const { ada, grace, linus, channelId, db } = await conversation(server);
  await db.write(block, ada, grace.wallet);
  using listening = listen({ url: server.url, launcherJwt: ada.launcherJwt });
  await listening.client.ready();
  await db.write(sendMessage, linus, channelId, 'before');
  await until('it is received', () => listening.received.some(({ record }) => record.content === 'before'));
  await db.write(sendMessage, grace, channelId, 'a canary, live');
  const sent = await db.write(sendMessage, grace, channelId, 'a canary, live too');
  await db.write(unsendMessage, grace, sent._id);
  await db.write(sendMessage, linus, channelId, 'live');
  await until('it is received', () => listening.received.some(({ record }) => record.content === 'live'));
  expect(listening.connections()).toBe(1);
  expect(JSON.stringify(listening.received)).not.toContain('canary');

  const cursor = { epoch: '', seq: 2 };
  using first = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  const streams = await first.streams();
  cursor.epoch = streams[`channel:${channelId}`]?.epoch ?? '';
  first.socket.disconnect();
  using again = await connectLauncher(server.url, {
    launcherJwt: ada.launcherJwt,
    cursors: { [`channel:${channelId}`]: cursor },
  });
  expect(await again.streams()).toMatchObject({ [`channel:${channelId}`]: { seq: 2, recovered: true } });
  await settled(again);
  expect(JSON.stringify(again.received)).not.toContain('canary');
  const inChannel = again.received.filter(({ meta }) => meta.stream === `channel:${channelId}`);
  expect(inChannel.map(({ meta }) => meta.seq)).toEqual([3, 4, 5, 6]);
  expect(messagesOf(again)).toMatchObject([{ record: { content: 'live' } }]);
});

test('the end of a block restores the conversation, and channels can be shared again', async () => {
  await using server = await startTestServer();
  const { ada, grace, linus, channelId, db } = await conversation(server);
  const api = apiOf(server);
  await db.write(block, ada, grace.wallet);
  await db.write(sendMessage, grace, channelId, 'meanwhile');
  await db.write(unblock, ada, grace.wallet);
  const { launcherJwt } = ada;
  const listed = await api.post('/launcher/get-channel-messages', { launcherJwt, channelId });
  expect(listed.body).toMatchObject({ total: 1, data: [{ content: 'meanwhile' }] });
  const { _id } = await db.write(createChannel, grace, [linus.wallet]);
  expect((await db.write(addToChannel, grace, _id, ada.wallet)).participants).toHaveLength(3);
});
