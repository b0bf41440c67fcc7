import { io } from 'socket.io-client';
import { expect, test, vi } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { listUndelivered } from '../../src/features/notifications/queries.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { endSession, recordPresence, revokeSessionById } from '../../src/features/sessions/commands.ts';
import { openStore } from '../../src/server/open-store.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { openRawWebSocket, text } from '../support/raw-websocket.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The guarantee (DESIGN.md, issue "Ending"): notified and disconnected within this time. */
const cutWithinMs = 5_000;

async function playerIn(server: TestServer): Promise<TestPlayer> {
  return server.openSession((await server.createGame()).gameId);
}

function connect(server: TestServer, { launcherJwt }: TestPlayer): Promise<TestLauncher> {
  return connectLauncher(server.url, { launcherJwt });
}

function receivedEnd({ received }: TestLauncher, { sessionId }: TestPlayer): boolean {
  return received.some(
    ({ name, record }) =>
      name === 'game-channels patched' && record._id === sessionId && record.exists === false,
  );
}

test('an ended session is notified, disconnected permanently, and receives nothing more', async () => {
  await using server = await startTestServer();
  const player = await playerIn(server);
  using launcher = await connect(server, player);
  let reason = '';
  launcher.socket.on('disconnect', (why) => {
    reason = why;
  });
  expect(await launcher.call('endChannelSession')).toEqual({ success: true });
  await until('the cut', () => reason !== '', cutWithinMs);
  // The one disconnect reason after which a Socket.IO client does not reconnect automatically.
  expect(reason).toBe('io server disconnect');
  expect(receivedEnd(launcher, player)).toBe(true);
  await expect(connect(server, player)).rejects.toMatchObject({
    data: { data: { reason: 'session_ended' } },
  });
});

test('a client that neither reads nor closes is disconnected within five seconds of the end of its session', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  using raw = await openRawWebSocket(server);
  raw.send(text(`40${JSON.stringify({ launcherJwt: player.launcherJwt })}`));
  await until('connected', () => raw.texts.some((one) => one.startsWith('42["realtime-events connected"')));
  await server.services.db.write(revokeSessionById, player.sessionId);
  const from = performance.now();
  await until('the goodbye', () => raw.closeCode() !== null);
  expect(raw.texts.some((one) => one.includes('"endReason":"revoked"'))).toBe(true);
  await until('cut off', () => raw.isClosed()); // it never answers the close frame
  expect(performance.now() - from).toBeLessThan(5_000);
});

test("of a player's sessions, only the ended one is disconnected", async () => {
  await using server = await startTestServer();
  const player = await playerIn(server);
  const another = await server.openSession(player.gameId, player.wallet);
  using launcher = await connect(server, player);
  using staying = await connect(server, another);
  await server.services.db.write(endSession, player.wallet, player.sessionId);
  await until('the cut', () => !launcher.socket.connected, cutWithinMs);
  await server.services.db.write(notifyPlayer, another, { message: 'to who is left', type: 'success' });
  await staying.waitForEvent('notifications created');
  expect(receivedEnd(staying, player)).toBe(true);
  expect(launcher.received.map(({ name }) => name)).not.toContain('notifications created');
});

test('a session ended by another process on the same data is notified and disconnected too', async () => {
  await using server = await startTestServer();
  const player = await playerIn(server);
  using launcher = await connect(server, player);
  const { db } = await openStore(server.config);
  await db.write(endSession, player.wallet, player.sessionId);
  await db.close();
  await until('the cut', () => !launcher.socket.connected, cutWithinMs);
  expect(receivedEnd(launcher, player)).toBe(true);
});

test("a session that ends during its socket's handshake does not stay connected", async () => {
  await using server = await startTestServer();
  const player = await playerIn(server);
  const { db } = server.services;
  const write = db.write.bind(db);
  vi.spyOn(db, 'write').mockImplementation(async (command, ...args) => {
    const answer = await write(command, ...args);
    if (command.commandName === recordPresence.commandName) {
      await write(endSession, player.wallet, player.sessionId);
    }
    return answer;
  });
  const launcher = await connect(server, player).catch((error) => error);
  if (launcher instanceof Error) {
    expect(launcher).toMatchObject({ data: { data: { reason: 'session_ended' } } });
    return;
  }
  await until('the cut', () => !launcher.socket.connected, cutWithinMs);
});

test('a session that ends while its socket is catching up does not stay connected', async () => {
  await using server = await startTestServer();
  const player = await playerIn(server);
  const { db } = server.services;
  interceptReads(db, listUndelivered, {
    before: (_, call) => call === 1 && db.write(endSession, player.wallet, player.sessionId),
  });
  using launcher = await connect(server, player);
  await until('the cut', () => !launcher.socket.connected, cutWithinMs);
  expect(receivedEnd(launcher, player)).toBe(true);
});

test('an expired session receives nothing more', async () => {
  await using server = await startTestServer({ SESSION_DAYS: String(2 / 86_400) });
  const player = await playerIn(server);
  using launcher = await connect(server, player);
  await until('the cut', () => !launcher.socket.connected, 2_000 + cutWithinMs);
});

test('the client of an ended session says so and does not retry; a refused one says why', async () => {
  await using server = await startTestServer();
  const player = await playerIn(server);
  using listening = listen({ url: server.url, launcherJwt: player.launcherJwt });
  await listening.client.ready();
  await listening.client.call('endChannelSession');
  await until('ended', () => listening.client.status.state === 'ended', cutWithinMs);
  using refused = listen({ url: server.url, launcherJwt: player.launcherJwt });
  await expect(refused.client.ready()).rejects.toMatchObject({ reason: 'session_ended' });
  expect(refused.client.status).toMatchObject({ state: 'refused', reason: 'session_ended' });
});

test('the same wallet in another game receives nothing of this one, and its launcher receives both', async () => {
  await using server = await startTestServer();
  const { db } = server.services;
  const here = await playerIn(server);
  const [{ gameId: elsewhere }, { gameId: launcherGame }] = await Promise.all([
    server.createGame(),
    server.createGame({ kind: 'launcher' }),
  ]);
  const there = await server.openSession(elsewhere, here.wallet);
  const own = await server.openSession(launcherGame, here.wallet);
  const other = await server.openSession(here.gameId);
  const strangersLauncher = await server.openSession(launcherGame);
  using hers = await connect(server, here);
  using inAnotherGame = await connect(server, there);
  using launcher = await connect(server, own);
  using stranger = await connect(server, strangersLauncher);
  await Promise.all([hers, inAnotherGame, launcher, stranger].map((one) => one.streams()));
  inAnotherGame.received.length = 0;
  stranger.received.length = 0;

  const { _id: channelId } = await db.write(createChannel, here, [other.wallet]);
  await db.write(sendMessage, other, channelId, 'here');
  await db.write(notifyPlayer, here, { message: 'here', type: 'success' });
  await db.write(setScore, here, 1);
  await db.write(setScore, there, 2);

  const names = [
    'message-channels created',
    'chat-messages created',
    'notifications created',
    'scores created',
  ];
  for (const name of names) await Promise.all([hers, launcher].map((one) => one.waitForEvent(name)));
  await until('the score', () => launcher.received.some(({ record }) => record.score === 2));
  await inAnotherGame.waitForEvent('scores created');
  expect(inAnotherGame.received.map(({ name, record }) => [name, record.score])).toEqual([
    ['scores created', 2],
  ]);
  expect(hers.received.map(({ record }) => record.score)).not.toContain(2);
  expect(stranger.received).toEqual([]);
});

test('a page of a foreign origin is refused when the game lists allowed ones, over both transports', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame({ allowedOrigins: ['https://game.example'] });
  const { launcherJwt } = await server.openSession(gameId);
  const tryFrom = (origin: string | undefined, transport: 'websocket' | 'polling') =>
    new Promise<string>((resolve) => {
      const socket = io(server.url, {
        auth: { launcherJwt },
        transports: [transport],
        forceNew: true,
        reconnection: false,
        ...(origin !== undefined && { extraHeaders: { origin } }),
      });
      const done = (outcome: string) => {
        resolve(outcome);
        socket.disconnect();
      };
      socket.once('connect', () => done('connected'));
      socket.once('connect_error', (error: Error & { data?: { data?: { reason?: string } } }) =>
        done(error.data?.data?.reason ?? error.message),
      );
    });
  for (const transport of ['websocket', 'polling'] as const) {
    expect(await tryFrom('https://evil.example', transport)).toBe('origin_not_allowed');
    expect(await tryFrom('null', transport)).toBe('origin_not_allowed');
    expect(await tryFrom('https://game.example', transport)).toBe('connected');
    expect(await tryFrom(undefined, transport)).toBe('connected');
  }
});

test('a token sent with a call over an anonymous socket is checked against the origin as well', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame({ allowedOrigins: ['https://game.example'] });
  const { launcherJwt } = await server.openSession(gameId);
  const socket = io(server.url, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: { origin: 'https://evil.example' },
  });
  const refused = await new Promise((resolve) =>
    socket.emit('setUserScore', 'launcher', { launcherJwt, score: 1 }, {}, resolve),
  );
  socket.disconnect();
  expect(refused).toMatchObject({ code: 401, data: { reason: 'origin_not_allowed' } });
});
