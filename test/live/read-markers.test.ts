import { expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

/** Ada has sent ten messages to Grace. */
async function conversation(server: TestServer) {
  const { gameId } = await server.createGame();
  const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
  const { db } = server.services;
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) ids.push((await db.write(sendMessage, ada, channelId, `${n}`))._id);
  /** Another session of Grace's, as on another device. */
  const again = () => server.openSession(gameId, grace.wallet);
  return { ada, grace, again, channelId, ids };
}

const markersOf = ({ received }: TestLauncher) =>
  received.filter(({ name }) => name === 'read-markers patched').map(({ record }) => record.messageId);

/** A launcher's read position: the last one it received. */
const shownBy = (launcher: TestLauncher) => markersOf(launcher).at(-1);

test('two devices that read concurrently agree on the marker, and nobody else receives it', async () => {
  await using server = await startTestServer();
  const { ada, grace, again, channelId, ids } = await conversation(server);
  using phone = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  using desk = await connectLauncher(server.url, { launcherJwt: (await again()).launcherJwt });
  using other = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  await settled(phone, desk, other);
  const read = (device: TestLauncher, messageId?: string) =>
    device.call('markMessagesRead', { channelId, messageId }, 'chat-messages');
  await Promise.all([
    ...[1, 4, 2].map((n) => read(phone, ids[n])),
    ...[0, 7, 3].map((n) => read(desk, ids[n])),
  ]);
  await settled(phone, desk, other);
  expect([shownBy(phone), shownBy(desk)]).toEqual([ids[7], ids[7]]);
  expect(markersOf(phone)).toEqual(markersOf(desk));
  const order = markersOf(phone).map((id) => ids.indexOf(String(id)));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(markersOf(other)).toEqual([]);
  for (const device of [phone, desk]) {
    expect(await device.call('getUnreadCount', { channelId })).toMatchObject({
      unreadCount: 2,
      lastReadMessageId: ids[7],
    });
  }
});

test('a device that was offline receives by cursor how far the other has read', async () => {
  await using server = await startTestServer();
  const { grace, again, channelId, ids } = await conversation(server);
  const { launcherJwt } = await again();
  const before = await connectLauncher(server.url, { launcherJwt });
  await settled(before);
  const meta = before.received.findLast(({ meta }) => meta.stream.startsWith('player:'))?.meta;
  before.socket.disconnect();
  using phone = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  for (const n of [2, 9]) await phone.call('markMessagesRead', { channelId, messageId: ids[n] });
  const cursors = { [meta?.stream ?? '']: { epoch: meta?.epoch, seq: meta?.seq } };
  using desk = await connectLauncher(server.url, { launcherJwt, cursors });
  await until('the marker', () => shownBy(desk) === ids[9]);
  await settled(desk);
  expect(markersOf(desk)).toEqual([ids[2], ids[9]]);
});

test('devices on two nodes agree on the marker', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using near = await startClusterNode(variables);
  await using far = await startClusterNode(variables);
  const gameId = await data.createGame();
  const [ada, grace] = [await data.openSession(gameId), await data.openSession(gameId)];
  const { _id: channelId } = await data.db.write(createChannel, ada, [grace.wallet]);
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) ids.push((await data.db.write(sendMessage, ada, channelId, `${n}`))._id);
  const { launcherJwt } = await data.openSession(gameId, grace.wallet);
  using phone = await connectLauncher(near.url, { launcherJwt: grace.launcherJwt });
  using desk = await connectLauncher(far.url, { launcherJwt });
  await settled(phone, desk);
  const read = (device: TestLauncher, n: number) =>
    device.call('markMessagesRead', { channelId, messageId: ids[n] });
  await Promise.all([read(phone, 5), read(desk, 8), read(phone, 6), read(desk, 1)]);
  await until('both to know', () => shownBy(phone) === ids[8] && shownBy(desk) === ids[8]);
  expect(markersOf(phone)).toEqual(markersOf(desk));
  expect(await phone.call('getUnreadCount', { channelId })).toMatchObject({ unreadCount: 1 });
});
