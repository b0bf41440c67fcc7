import { expect, test } from 'vitest';
import { streamOf } from '../../src/core/events/stream.ts';
import { ban, unban } from '../../src/features/administration/commands.ts';
import { eventsAfter, lastPositions } from '../../src/features/events/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Ada and Grace in a channel of a game, Grace also in a launcher session; she is banned from the game. */
async function bannedPlayer(server: TestServer) {
  const { db } = server.services;
  const { gameId } = await server.createGame();
  const { gameId: launcherId } = await server.createGame({ kind: 'launcher' });
  const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
  const inLauncher = await server.openSession(launcherId, grace.wallet);
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  const say = (content: string) => db.write(sendMessage, ada, channelId, content);
  return { ada, grace, inLauncher, channelId, say };
}

/** The texts a launcher has received once it has caught up. */
async function receivedBy(
  server: TestServer,
  launcher: TestLauncher,
  player: { gameId: string; wallet: string },
) {
  // The first mark may be replayed before other streams' events; the second then comes after the replay.
  for (const mark of [1, 2]) {
    const message = `mark ${mark} ${Math.random()}`;
    await server.services.db.write(notifyPlayer, player, { message, type: 'success' });
    await until('the mark', () => launcher.received.some(({ record }) => record.message === message));
  }
  return launcher.received.flatMap(({ record }) => record.content ?? []);
}

test('a player banned from a game receives none of its messages through the launcher session, until unbanned', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, inLauncher, channelId, say } = await bannedPlayer(server);
  const { launcherJwt } = inLauncher;
  using hers = await connectLauncher(server.url, { launcherJwt });
  const streams = await hers.streams();
  using adas = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  await adas.streams();
  await say('before');
  await db.write(ban, grace.wallet, grace.gameId, 'cheating');
  await say('while banned');
  await adas.call('sendTypingSignal', { channelId }, 'chat-messages');
  expect(await receivedBy(server, hers, inLauncher)).toEqual(['before']);
  const told = hers.received.map(({ name }) => name);
  expect(told).toContain('game-channels patched'); // the end of her session
  expect(told).not.toContain('chat-messages typing');
  expect(await receivedBy(server, adas, ada)).toEqual(['before', 'while banned']);
  await db.write(unban, grace.wallet, grace.gameId);
  await say('unbanned');
  expect(await receivedBy(server, hers, inLauncher)).toEqual(['before', 'unbanned']);
  expect(Object.keys(streams)).toContain(streamOf.channel(channelId));
});

test('messages are not replayed to a banned player either, with or without a cursor, and other games are unaffected', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, inLauncher, channelId, say } = await bannedPlayer(server);
  const other = { gameId: (await server.createGame()).gameId };
  const elsewhere = { ...other, wallet: ada.wallet };
  const there = await db.write(createChannel, elsewhere, [grace.wallet]);
  const { launcherJwt } = inLauncher;
  using visit = await connectLauncher(server.url, { launcherJwt });
  const cursors = Object.fromEntries(
    Object.entries(await visit.streams()).map(([stream, { epoch, seq }]) => [stream, { epoch, seq }]),
  );
  visit.socket.disconnect();
  await db.write(ban, grace.wallet, grace.gameId, '');
  await say('while banned');
  await db.write(sendMessage, elsewhere, there._id, 'elsewhere');
  for (const given of [cursors, { ...cursors, [streamOf.channel(channelId)]: undefined }]) {
    using hers = await connectLauncher(server.url, { launcherJwt, cursors: given });
    expect(Object.keys(await hers.streams())).not.toContain(streamOf.channel(channelId));
    expect(await receivedBy(server, hers, inLauncher)).toEqual(['elsewhere']);
  }
});

test('a node that reads the message late does not deliver it to a banned player', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const { ada, grace, say } = await bannedPlayer(server);
  await db.write(ban, grace.wallet, grace.gameId, '');
  const before = await db.read(lastPositions);
  await say('while banned');
  const {
    events: [event],
  } = await db.read(eventsAfter, before, 10);
  expect(event?.audience).toEqual({ kind: 'players', gameId: ada.gameId, wallets: [ada.wallet] });
});
