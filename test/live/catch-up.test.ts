import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventsOfStream, readEpoch } from '../../src/features/events/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { listUndelivered } from '../../src/features/notifications/queries.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { startBalancer } from '../support/balancer.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { openRawWebSocket, text } from '../support/raw-websocket.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

interface Conversation {
  ada: TestPlayer;
  grace: TestPlayer;
  channelId: string;
  stream: string;
  /** Sends messages one after the other. */
  send(from: number, to: number, content?: (number: number) => string): Promise<void>;
}

async function conversation(server: TestServer): Promise<Conversation> {
  const { db } = server.services;
  const { gameId } = await server.createGame();
  const ada = await server.openSession(gameId);
  const grace = await server.openSession(gameId);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  return {
    ada,
    grace,
    channelId,
    stream: `channel:${channelId}`,
    async send(from, to, content = (number) => `message ${number}`) {
      for (let number = from; number <= to; number++)
        await db.write(sendMessage, ada, channelId, content(number));
    },
  };
}

/** Connects, reads the stream positions, and disconnects. */
async function cursorsOf(server: TestServer, player: TestPlayer) {
  using visit = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  const streams = Object.entries(await visit.streams());
  const cursors = Object.fromEntries(streams.map(([stream, { epoch, seq }]) => [stream, { epoch, seq }]));
  visit.socket.disconnect();
  return cursors;
}

function ofStream({ received }: TestLauncher, stream: string) {
  return received.filter(({ meta }) => meta.stream === stream);
}

/** Waits until the launcher has received this many events of a stream. */
async function receivesAll(launcher: TestLauncher, stream: string, count: number): Promise<void> {
  await until(`${count} events`, () => ofStream(launcher, stream).length >= count);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

test('missed events are replayed in order, and concurrent ones follow without a gap', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  await send(1, 400);
  const sending = send(401, 1_000);
  const launchers: TestLauncher[] = [];
  for (let number = 0; number < 5; number++) {
    launchers.push(await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors }));
  }
  await sending;
  for (const launcher of launchers) {
    await receivesAll(launcher, stream, 1_000);
    // The channel's creation was the first event of its stream.
    expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual(upTo(1_000).map((seq) => seq + 1));
    launcher.socket.disconnect();
  }
});

test('a replay of long messages is sent in parts, complete and in order', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  await send(1, 150, (number) => (number % 3 === 0 ? 'é"'.repeat(1_900) : `message ${number}`));
  const launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  await receivesAll(launcher, stream, 150);
  expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual(upTo(150).map((seq) => seq + 1));
  launcher.socket.disconnect();
});

test('more happens during a replay from a slow database than is buffered in memory, and nothing is missed', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  await send(1, 500);
  let sending: Promise<void> | undefined;
  interceptReads(server.services.db, eventsOfStream, {
    after() {
      // 1,500 are sent while the first page is in flight; more than the 1,000 that are buffered.
      sending ??= send(501, 2_000);
      return sending;
    },
  });
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  await receivesAll(launcher, stream, 2_000);
  await send(2_001, 2_010);
  await receivesAll(launcher, stream, 2_010);
  expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual(upTo(2_010).map((seq) => seq + 1));
});

test('a socket whose session ends while it catches up is told so before it is closed', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  interceptReads(server.services.db, listUndelivered, {
    async before() {
      await server.services.db.write(revokeSessionById, player.sessionId);
      await pause(500); // longer than a socket stays open that was told
    },
  });
  using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  await until('the cut', () => !launcher.socket.connected);
  expect(launcher.received.map(({ name, record }) => [name, record.endReason])).toEqual([
    ['game-channels patched', 'revoked'],
  ]);
});

test('the first event says where each stream continues', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  await send(1, 3);
  const cursors = await cursorsOf(server, grace);
  expect(cursors[stream]?.seq).toBe(4);
  await send(4, 5);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  expect((await launcher.streams())[stream]).toEqual({
    epoch: cursors[stream]?.epoch,
    seq: 4,
    latest: 6,
    recovered: true,
  });
  await receivesAll(launcher, stream, 2);
});

test('a client without cursors starts at the current position', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  await send(1, 3);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  expect((await launcher.streams())[stream]).toMatchObject({ seq: 4, latest: 4, recovered: false });
  await send(4, 4);
  await receivesAll(launcher, stream, 1);
  expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual([5]);
});

test.each([
  { what: 'into another history', change: { epoch: 'another' } },
  { what: 'ahead of the stream', change: { seq: 1_000 } },
])(
  'a cursor $what is answered recovered:false, and the stream continues from the current position',
  async ({ change }) => {
    await using server = await startTestServer();
    const { grace, stream, send } = await conversation(server);
    await send(1, 3);
    const cursors = await cursorsOf(server, grace);
    const [epoch, seq] = [cursors[stream]?.epoch ?? '', cursors[stream]?.seq ?? 0];
    const changed = { ...cursors, [stream]: { epoch, seq, ...change } };
    using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors: changed });
    expect((await launcher.streams())[stream]).toEqual({ epoch, seq: 4, latest: 4, recovered: false });
    await send(4, 4);
    await receivesAll(launcher, stream, 1);
    expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual([5]);
  },
);

test('a cursor older than the retained events is answered recovered:false, and those are not replayed', async () => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '10' });
  const { grace, stream, send } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  await send(1, 30);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  expect((await launcher.streams())[stream]).toMatchObject({ seq: 31, latest: 31, recovered: false });
  await send(31, 32);
  await receivesAll(launcher, stream, 2);
  expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual([32, 33]);
});

test('a cursor at the edge of the retained events is valid', async () => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '10' });
  const { grace, stream, send } = await conversation(server);
  await send(1, 20);
  const cursors = await cursorsOf(server, grace);
  await send(21, 30);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  expect((await launcher.streams())[stream]).toMatchObject({ seq: 21, latest: 31, recovered: true });
  await receivesAll(launcher, stream, 10);
});

test('the client resynchronises automatically: it reports which stream, and continues it without a gap', async () => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '10' });
  const { grace, stream, send } = await conversation(server);
  using before = listen({ url: server.url, launcherJwt: grace.launcherJwt });
  await before.client.ready();
  const { cursors } = before.client;
  before.client.close();
  await send(1, 30);

  using after = listen({ url: server.url, launcherJwt: grace.launcherJwt, cursors });
  await after.client.ready();
  expect(after.resyncs).toEqual([stream]);
  await send(31, 33);
  const received = () => after.received.filter(({ meta }) => meta.stream === stream);
  await until('the next messages', () => received().length === 3);
  expect(received().map(({ record }) => record.content)).toEqual(['message 31', 'message 32', 'message 33']);
  expect(after.client.cursors[stream]?.seq).toBe(34);
  expect(after.connections()).toBe(1);
});

test.each([
  ['a text', 'cursors'],
  ['a list', [{ epoch: 'a', seq: 1 }]],
  ['a number', 7],
  ['an entry that is not a cursor', { stream: 1 }],
  ['an epoch that is not a string', { stream: { epoch: 1, seq: 1 } }],
  ['a seq below 0', { stream: { epoch: 'a', seq: -1 } }],
  ['a broken seq', { stream: { epoch: 'a', seq: 1.5 } }],
  ['no seq', { stream: { epoch: 'a' } }],
  ['a stream name that has no end', { ['s'.repeat(201)]: { epoch: 'a', seq: 1 } }],
  ['far too many', Object.fromEntries(upTo(5_001).map((seq) => [`s${seq}`, { epoch: 'a', seq }]))],
  ['of too many games', Object.fromEntries(upTo(101).map((seq) => [`game:${seq}`, { epoch: 'a', seq }]))],
])('invalid cursors (%s) are refused', async (_what, cursors) => {
  await using server = await startTestServer();
  const { grace } = await conversation(server);
  await expect(
    connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors }),
  ).rejects.toMatchObject({ data: { success: false, code: 400, data: { reason: 'cursors_invalid' } } });
});

test('the error says what is wrong with cursors, and a client with invalid ones reconnects without them', async () => {
  await using server = await startTestServer();
  const { grace, stream } = await conversation(server);
  const { launcherJwt } = grace;
  const many = Object.fromEntries(upTo(5_001).map((seq) => [`s${seq}`, { epoch: 'a', seq }]));
  await expect(connectLauncher(server.url, { launcherJwt, cursors: many })).rejects.toMatchObject({
    data: { message: expect.stringContaining('of 5001 streams; at most 5000') },
  });
  using listening = listen({ url: server.url, launcherJwt, cursors: many });
  await listening.client.ready();
  expect(listening.resyncs).toContain(stream);
  expect(Object.keys(listening.client.cursors)).toHaveLength(3); // the player's, the account's and the channel's
});

test('a handshake with more parts than the maximum of cursors has is refused before it is parsed', async () => {
  await using server = await startTestServer();
  using raw = await openRawWebSocket(server);
  raw.send(text(`40{${upTo(12_000).map((at) => `"k${at}":1`)}, not JSON`));
  const refused = await until('refused', () => raw.texts.find((one) => one.startsWith('44')), 5_000);
  expect(JSON.parse(refused.slice(2)).data).toMatchObject({ code: 400, data: { reason: 'cursors_invalid' } });
  await until('closed', () => raw.closeCode() !== null);
});

test("a launcher's cursors subscribe it to the games that exist, up to the limit of a connection", async () => {
  await using server = await startTestServer();
  const launcher = await server.openSession((await server.createGame({ kind: 'launcher' })).gameId);
  const gameIds: string[] = [];
  for (let game = 0; game < 101; game++) gameIds.push((await server.createGame()).gameId);
  const epoch = await server.services.db.read(readEpoch);
  const { launcherJwt } = launcher;
  const some = [...gameIds.slice(0, 60), ...upTo(40).map((number) => `none-${number}`)];
  const cursors = Object.fromEntries(some.map((gameId) => [`game:${gameId}`, { epoch, seq: 0 }]));
  using socket = await connectLauncher(server.url, { launcherJwt, cursors });
  const named = Object.keys(await socket.streams()).filter((stream) => stream.startsWith('game:'));
  expect(named.sort()).toEqual(
    gameIds
      .slice(0, 60)
      .map((gameId) => `game:${gameId}`)
      .sort(),
  );
  const follow = (gameId?: string) => socket.call('subscribe', { gameId }, 'realtime-events');
  for (const gameId of gameIds.slice(60, 100)) await follow(gameId);
  await expect(follow(gameIds[100])).rejects.toMatchObject({
    code: 400,
    message: expect.stringContaining('at most 100 games'),
  });
  await follow(gameIds[0]); // one that is already subscribed to
  await socket.call('unsubscribe', { gameId: gameIds[0] }, 'realtime-events');
  await follow(gameIds[100]);
});

test("cursors of other players' streams, unknown ones and names from Object.prototype grant no access", async () => {
  await using server = await startTestServer();
  const { ada, grace, stream, send } = await conversation(server);
  const eve = await server.openSession(grace.gameId);
  await send(1, 3);
  const epoch = await server.services.db.read(readEpoch);
  const names = [stream, `player:${ada.gameId}:${ada.wallet}`, 'channel:', 'game:', 'toString', 'no such'];
  const cursors = JSON.parse(
    `{${[...names, '__proto__', 'constructor'].map((name) => `"${name}":{"epoch":"${epoch}","seq":0}`).join()}}`,
  );
  using launcher = await connectLauncher(server.url, { launcherJwt: eve.launcherJwt, cursors });
  expect(Object.keys(await launcher.streams())).toEqual([
    `player:${eve.gameId}:${eve.wallet}`,
    `account:${eve.wallet}`,
  ]);
  await send(4, 5);
  await launcher.call('sendNotification', { message: 'after all that', type: 'success' });
  await launcher.waitForEvent('notifications created');
  expect(launcher.received.map(({ name }) => name)).not.toContain('chat-messages created');
});

test('a replay reveals only that an unsent message was unsent', async () => {
  await using server = await startTestServer();
  const { ada, grace, channelId, stream } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  const { db } = server.services;
  const { _id } = await db.write(sendMessage, ada, channelId, 'regretted');
  await db.write(editMessage, ada, _id, 'regretted more');
  await db.write(unsendMessage, ada, _id);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  await receivesAll(launcher, stream, 3);
  expect(ofStream(launcher, stream).map(({ name }) => name)).toEqual([
    'chat-messages created',
    'chat-messages patched',
    'chat-messages removed',
  ]);
  expect(JSON.stringify(launcher.received)).not.toContain('regretted');
});

test('thousands of events are replayed to one socket without treating it as a slow consumer', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  await send(1, 6_000);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt, cursors });
  await receivesAll(launcher, stream, 6_000);
  expect(launcher.socket.connected).toBe(true);
  expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual(upTo(6_000).map((seq) => seq + 1));
});

test('a replay of long messages over a slow line runs at the pace of the line, on one connection', async () => {
  await using server = await startTestServer();
  const { grace, stream, send } = await conversation(server);
  const cursors = await cursorsOf(server, grace);
  await send(1, 1_500, () => '漢'.repeat(4_000)); // 18 MB, a few of which fit the kernel's buffers
  await using line = await startBalancer([Number(new URL(server.url).port)], { bytesPerSecond: 4_000_000 });
  using launcher = await connectLauncher(line.url, { launcherJwt: grace.launcherJwt, cursors });
  await receivesAll(launcher, stream, 1_500);
  expect(launcher.socket.connected).toBe(true);
  expect(ofStream(launcher, stream).map(({ meta }) => meta.seq)).toEqual(upTo(1_500).map((seq) => seq + 1));
});
