import { expect, test } from 'vitest';
import { eventsOfStream, readEventLog } from '../../src/features/events/queries.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage } from '../../src/features/messages/message-commands.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/**
 * Ada, the channel's administrator; Grace, who leaves and returns; Eve, so that the channel outlives Grace's leaving.
 */
async function threePlayers(server: TestServer) {
  const { gameId } = await server.createGame();
  const [ada, grace, eve] = [1, 2, 3].map(() => server.openSession(gameId));
  if (!ada || !grace || !eve) throw new Error('no players');
  return { ada: await ada, grace: await grace, eve: await eve };
}

async function cursorsOf(server: TestServer, player: TestPlayer) {
  using visit = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  const streams = Object.entries(await visit.streams());
  visit.socket.disconnect();
  return Object.fromEntries(streams.map(([stream, { epoch, seq }]) => [stream, { epoch, seq }]));
}

function connect(server: TestServer, player: TestPlayer, cursors: unknown): Promise<TestLauncher> {
  return connectLauncher(server.url, { launcherJwt: player.launcherJwt, cursors });
}

/** A launcher's events of a channel, once it has caught up. */
async function receivedOf(launcher: TestLauncher, channelId: string) {
  await settled(launcher);
  return launcher.received
    .filter(({ meta }) => meta.stream === `channel:${channelId}`)
    .map(({ name, record, meta }) => [meta.seq, name, record.content]);
}

test("a channel created during a player's absence is replayed completely", async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace } = await threePlayers(server);
  const cursors = await cursorsOf(server, grace);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  await db.write(sendMessage, ada, channelId, 'are you there?');
  await db.write(sendMessage, ada, channelId, 'hello?');
  using launcher = await connect(server, grace, cursors);
  expect((await launcher.streams())[`channel:${channelId}`]).toMatchObject({
    seq: 0,
    latest: 3,
    recovered: true,
  });
  expect(await receivedOf(launcher, channelId)).toEqual([
    [1, 'message-channels created', undefined],
    [2, 'chat-messages created', 'are you there?'],
    [3, 'chat-messages created', 'hello?'],
  ]);
});

test('a player removed while offline receives nothing more of the channel, not even earlier events', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, eve.wallet]);
  const cursors = await cursorsOf(server, grace);
  await db.write(sendMessage, ada, channelId, 'before');
  await db.write(removeFromChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'after');
  using launcher = await connect(server, grace, cursors);
  expect(Object.keys(await launcher.streams())).not.toContain(`channel:${channelId}`);
  await db.write(sendMessage, ada, channelId, 'live');
  expect(await receivedOf(launcher, channelId)).toEqual([]);
});

test('a player removed during a replay receives nothing sent afterwards', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, eve.wallet]);
  const cursors = await cursorsOf(server, grace);
  for (let number = 0; number < 250; number++) await db.write(sendMessage, ada, channelId, 'before');
  const intercepted = interceptReads(db, eventsOfStream, {
    async before([, reached]) {
      if (Number(reached) <= 100) return;
      intercepted.restore();
      await db.write(removeFromChannel, ada, channelId, grace.wallet);
      for (let number = 0; number < 5; number++) await db.write(sendMessage, ada, channelId, 'after');
    },
  });
  using launcher = await connect(server, grace, cursors);
  const contents = (await receivedOf(launcher, channelId)).map(([, , content]) => content);
  expect(contents).not.toContain('after');
});

test('a player removed while connected receives nothing more; an added one receives later events', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  using hers = await connect(server, grace, undefined);
  using newcomers = await connect(server, eve, undefined);
  await Promise.all([hers.streams(), newcomers.streams()]);
  await db.write(sendMessage, ada, channelId, 'with Grace');
  await hers.waitForEvent('chat-messages created');
  await db.write(addToChannel, ada, channelId, eve.wallet);
  await db.write(removeFromChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'with Eve');
  expect(await receivedOf(newcomers, channelId)).toEqual([
    [3, 'message-channels patched', undefined],
    [4, 'message-channels patched', undefined],
    [5, 'chat-messages created', 'with Eve'],
  ]);
  expect(await receivedOf(hers, channelId)).toEqual([
    [2, 'chat-messages created', 'with Grace'],
    [3, 'message-channels patched', undefined],
  ]);
});

test('a player added while offline receives only later events', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [eve.wallet]);
  await db.write(sendMessage, ada, channelId, 'between us');
  const cursors = await cursorsOf(server, grace);
  await db.write(sendMessage, ada, channelId, 'still between us');
  await db.write(addToChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'welcome');
  using launcher = await connect(server, grace, cursors);
  expect((await launcher.streams())[`channel:${channelId}`]).toMatchObject({ seq: 3, recovered: true });
  expect(await receivedOf(launcher, channelId)).toEqual([
    [4, 'message-channels patched', undefined],
    [5, 'chat-messages created', 'welcome'],
  ]);
});

test('an old cursor of a player who left and returned does not reveal what was sent in between', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, eve.wallet]);
  const cursors = await cursorsOf(server, grace);
  await db.write(removeFromChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'she has left');
  await db.write(addToChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'she is back');
  using launcher = await connect(server, grace, {
    ...cursors,
    [`channel:${channelId}`]: cursors[`channel:${channelId}`],
  });
  expect(await receivedOf(launcher, channelId)).toEqual([
    [4, 'message-channels patched', undefined],
    [5, 'chat-messages created', 'she is back'],
  ]);
});

test('a message sent while a player had left stays hidden when it is edited after the return, live and in a replay', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  await db.write(removeFromChannel, ada, channelId, grace.wallet);
  const missed = await db.write(sendMessage, ada, channelId, 'she has left');
  await db.write(addToChannel, ada, channelId, grace.wallet);
  await db.write(addToChannel, ada, channelId, eve.wallet);
  const cursors = await cursorsOf(server, grace);
  using hers = await connect(server, grace, undefined);
  using newcomers = await connect(server, eve, undefined);
  await Promise.all([hers.streams(), newcomers.streams()]);
  await db.write(editMessage, ada, missed._id, 'really');
  const seen = await db.write(sendMessage, ada, channelId, 'she is back');
  await db.write(editMessage, ada, seen._id, 'for good');
  const shown = [
    [7, 'chat-messages created', 'she is back'],
    [8, 'chat-messages patched', 'for good'],
  ];
  const hidden = [[6, 'realtime-events skipped', undefined], ...shown];
  expect(await receivedOf(hers, channelId)).toEqual(hidden);
  expect(await receivedOf(newcomers, channelId)).toEqual([[6, 'chat-messages patched', 'really'], ...shown]);
  using later = await connect(server, grace, cursors);
  expect(await receivedOf(later, channelId)).toEqual(hidden);
  // As a node reads it that did not write it.
  const { events } = await db.read(readEventLog, undefined, 100);
  const edit = events.find(({ record }) => record.includes('really'));
  expect(edit?.audience).toMatchObject({ hiddenFrom: [grace.wallet] });
});

test('the client of a player who leaves and returns while connected continues, without messages from in between', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, eve } = await threePlayers(server);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, eve.wallet]);
  using listening = listen({ url: server.url, launcherJwt: grace.launcherJwt });
  await listening.client.ready();
  await db.write(removeFromChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'she has left');
  await db.write(addToChannel, ada, channelId, grace.wallet);
  await db.write(sendMessage, ada, channelId, 'she is back');
  const contents = () =>
    listening.received
      .filter(({ name }) => name === 'chat-messages created')
      .map(({ record }) => record.content);
  await until('the message', () => contents().includes('she is back'));
  expect(contents()).toEqual(['she is back']);
  await db.write(sendMessage, ada, channelId, 'and stays');
  await until('the next message', () => contents().includes('and stays'));
});
