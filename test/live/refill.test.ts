import { expect, test } from 'vitest';
import { eventsAfter, streamPosition } from '../../src/features/events/queries.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { openStore } from '../../src/server/open-store.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

test("another process's writes to the same data reach the launchers here, in commit order", async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  await launcher.streams();
  const { db: other } = await openStore(server.config);
  const { db } = server.services;
  for (let score = 0; score < 100; score++) await (score % 2 ? other : db).write(setScore, player, score);
  await other.close();
  const scores = () => launcher.received.filter(({ name }) => name === 'scores created');
  await until('all scores', () => scores().length === 100);
  expect(scores().map(({ record }) => record.score)).toEqual(
    Array.from({ length: 100 }, (_, score) => score),
  );
  const [first] = scores();
  expect(scores().map(({ meta }) => meta.seq - (first?.meta.seq ?? 0))).toEqual(
    Array.from({ length: 100 }, (_, index) => index),
  );
});

test('a failed database read crashes no process and loses no event', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  await launcher.streams();
  const { db } = server.services;
  const failing = interceptReads(db, eventsAfter, {
    before() {
      throw new Error('the disk is slow');
    },
  });
  const { db: other } = await openStore(server.config);
  await other.write(setScore, player, 1);
  await db.write(setScore, player, 2); // leaves a gap before it
  await other.close();
  await until('a failed read', () => failing.calls > 0);
  failing.restore();
  const scores = () => launcher.received.filter(({ name }) => name === 'scores created');
  await until('both scores', () => scores().length === 2);
  expect(scores().map(({ record }) => record.score)).toEqual([1, 2]);
});

test("a player who left before this node read another's writes receives what was sent until then, and nothing after", async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
  const { db } = server.services;
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
  using launcher = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  await launcher.streams();
  const failing = interceptReads(db, eventsAfter, {
    before: () => Promise.reject(new Error('the disk is slow')),
  });
  const { db: other } = await openStore(server.config);
  await other.write(sendMessage, ada, channelId, 'before she left');
  await other.write(removeFromChannel, ada, channelId, grace.wallet);
  await other.write(sendMessage, ada, channelId, 'while she is away');
  await other.write(addToChannel, ada, channelId, grace.wallet);
  await other.write(sendMessage, ada, channelId, 'when she is back');
  await other.write(removeFromChannel, grace, channelId, grace.wallet);
  await other.write(setScore, grace, 1);
  await other.close();
  await until('a failed read', () => failing.calls > 0);
  failing.restore();
  await until('the score', () => launcher.received.some(({ name }) => name === 'scores created'));
  const received = launcher.received.filter(({ meta }) => meta.stream === `channel:${channelId}`);
  expect(received.map(({ meta, record }) => [meta.seq, record.content])).toEqual([
    [2, 'before she left'],
    [5, undefined],
    [6, 'when she is back'],
  ]);
});

test('events trimmed before this node read them make the client resynchronise, rather than miss them silently', async () => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '5' });
  const player = await server.openSession((await server.createGame()).gameId);
  using listening = listen({ url: server.url, launcherJwt: player.launcherJwt });
  await listening.client.ready();
  const { db: other } = await openStore(server.config);
  await Promise.all(Array.from({ length: 50 }, (_, score) => other.write(setScore, player, score)));
  await other.close();
  const stream = `player:${player.gameId}:${player.wallet}`;
  const before = listening.resyncs.length;
  await until('the resynchronisation', () => listening.resyncs.length > before);
  expect(listening.resyncs.at(-1)).toBe(stream);
  await listening.client.ready();
  await server.services.db.write(setScore, player, 50);
  await until('the next score', () => listening.received.at(-1)?.record.score === 50);
  const { seq } = await server.services.db.read(streamPosition, stream);
  expect(listening.client.cursors[stream]?.seq).toBe(seq);
});
