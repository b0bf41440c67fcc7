import { expect, test } from 'vitest';
import { readEpoch } from '../../src/features/events/queries.ts';
import { markDelivered, notifyPlayer } from '../../src/features/notifications/commands.ts';
import { listUndelivered } from '../../src/features/notifications/queries.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { startBalancer } from '../support/balancer.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** A player with sessions in two games and in the launcher's own. */
async function playerOfTwoGames(server: TestServer) {
  const [{ gameId: one }, { gameId: other }, { gameId: launcher }] = await Promise.all([
    server.createGame({ name: 'One' }),
    server.createGame({ name: 'Other' }),
    server.createGame({ name: 'Launcher', kind: 'launcher' }),
  ]);
  const inOne = await server.openSession(one);
  return {
    inOne,
    inOther: await server.openSession(other, inOne.wallet),
    inLauncher: await server.openSession(launcher, inOne.wallet),
  };
}

function notify(server: TestServer, player: TestPlayer, message: string): Promise<unknown> {
  return server.services.db.write(notifyPlayer, player, { message, type: 'success' });
}

function connect(server: TestServer, player: TestPlayer, cursors?: unknown): Promise<TestLauncher> {
  return connectLauncher(server.url, {
    launcherJwt: player.launcherJwt,
    ...(cursors !== undefined && { cursors }),
  });
}

function notificationsOf({ received }: TestLauncher): { message: unknown; late: boolean }[] {
  return received
    .filter(({ name }) => name === 'notifications created')
    .map(({ record, meta }) => ({ message: record.message, late: meta.late === true }));
}

/** What a connection receives before a mark that is set once it is connected. */
async function receivedAtConnecting(server: TestServer, player: TestPlayer, cursors?: unknown) {
  using launcher = await connect(server, player, cursors);
  const mark = `mark ${Math.random()}`;
  await notify(server, player, mark);
  await until('the mark', () => notificationsOf(launcher).some(({ message }) => message === mark));
  launcher.socket.disconnect();
  return notificationsOf(launcher).filter(({ message }) => message !== mark);
}

async function nobodyIsThere(server: TestServer, ...players: TestPlayer[]): Promise<void> {
  await until('nobody is present', async () => {
    const there = await Promise.all(
      players.map(({ sessionId }) => server.services.presence.isPresent(sessionId)),
    );
    return !there.includes(true);
  });
}

test('a notification sent while nobody was connected arrives on the next connection, exactly once', async () => {
  await using server = await startTestServer();
  const { inOne } = await playerOfTwoGames(server);
  await notify(server, inOne, 'you won');
  expect(await receivedAtConnecting(server, inOne)).toEqual([{ message: 'you won', late: true }]);
  await nobodyIsThere(server, inOne);
  expect(await receivedAtConnecting(server, inOne)).toEqual([]);
});

test('with a cursor it is part of the replay, exactly once', async () => {
  await using server = await startTestServer();
  const { inOne } = await playerOfTwoGames(server);
  const first = await connect(server, inOne);
  const streams = Object.entries(await first.streams());
  const cursors = Object.fromEntries(streams.map(([stream, { epoch, seq }]) => [stream, { epoch, seq }]));
  first.socket.disconnect();
  await nobodyIsThere(server, inOne);
  await notify(server, inOne, 'you won');
  expect(await receivedAtConnecting(server, inOne, cursors)).toEqual([{ message: 'you won', late: false }]);
  await nobodyIsThere(server, inOne);
  expect(await receivedAtConnecting(server, inOne)).toEqual([]);
});

test("a launcher session receives those of every game, and a game's session then receives none again", async () => {
  await using server = await startTestServer();
  const { inOne, inOther, inLauncher } = await playerOfTwoGames(server);
  await notify(server, inOne, 'from one');
  await notify(server, inOther, 'from the other');
  const told = await receivedAtConnecting(server, inLauncher);
  expect(told.map(({ message }) => message).sort()).toEqual(['from one', 'from the other']);
  expect(await receivedAtConnecting(server, inOne)).toEqual([]);
  expect(await receivedAtConnecting(server, inOther)).toEqual([]);
});

test("a game's session receives only that game's; the others stay undelivered", async () => {
  await using server = await startTestServer();
  const { inOne, inOther } = await playerOfTwoGames(server);
  await notify(server, inOther, 'from the other');
  expect(await receivedAtConnecting(server, inOne)).toEqual([]);
  expect(await receivedAtConnecting(server, inOther)).toEqual([{ message: 'from the other', late: true }]);
});

test.each([
  ['without a cursor', false],
  ['with a cursor that is too old', true],
])('it arrives even when its event was trimmed meanwhile, %s', async (_how, withCursor) => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '3' });
  const { inOne } = await playerOfTwoGames(server);
  const epoch = await server.services.db.read(readEpoch);
  const cursors = withCursor ? { [`player:${inOne.gameId}:${inOne.wallet}`]: { epoch, seq: 0 } } : undefined;
  await notify(server, inOne, 'you won');
  for (let score = 0; score < 10; score++) await server.services.db.write(setScore, inOne, score);
  expect(await receivedAtConnecting(server, inOne, cursors)).toEqual([{ message: 'you won', late: true }]);
  await nobodyIsThere(server, inOne);
  expect(await receivedAtConnecting(server, inOne)).toEqual([]);
});

test('one delivered live is not delivered to the next connection', async () => {
  await using server = await startTestServer();
  const { inOne } = await playerOfTwoGames(server);
  const first = await connect(server, inOne);
  await first.streams();
  await notify(server, inOne, 'you won');
  await first.waitForEvent('notifications created');
  first.socket.disconnect();
  await nobodyIsThere(server, inOne);
  expect(await receivedAtConnecting(server, inOne)).toEqual([]);
});

test('many undelivered ones arrive on one connection, once each, oldest first, and the client emits each once', async () => {
  await using server = await startTestServer();
  const { inOne } = await playerOfTwoGames(server);
  const messages = Array.from({ length: 1_234 }, (_, number) => `message ${number}`);
  await Promise.all(messages.map((message) => notify(server, inOne, message)));
  using listening = listen({ url: server.url, launcherJwt: inOne.launcherJwt });
  await until('all of them', () => listening.received.length >= messages.length);
  const told = listening.received.filter(({ name }) => name === 'notifications created');
  expect(told.map(({ record }) => record.message)).toEqual(messages);
  // They are older than the cursor, which must not move back to them: the next event would look like a gap.
  await notify(server, inOne, 'the next');
  await until('the next', () => listening.received.at(-1)?.record.message === 'the next');
  expect(listening.connections()).toBe(1);
});

test('those of several games arrive in the order of each game, while new ones are sent', async () => {
  await using server = await startTestServer();
  const { inOne, inOther, inLauncher } = await playerOfTwoGames(server);
  const numbers = Array.from({ length: 450 }, (_, number) => number);
  await Promise.all(
    numbers.flatMap((number) => [
      notify(server, inOne, `one ${number}`),
      notify(server, inOther, `other ${number}`),
    ]),
  );
  using listening = listen({ url: server.url, launcherJwt: inLauncher.launcherJwt });
  await Promise.all(numbers.map((number) => notify(server, inOne, `one ${450 + number}`)));
  await until('all of them', () => listening.received.length >= 3 * 450);
  const messages = listening.received.map(({ record }) => String(record.message));
  const of = (game: string) => messages.filter((message) => message.startsWith(game));
  expect(of('one')).toEqual([...numbers, ...numbers.map((number) => 450 + number)].map((n) => `one ${n}`));
  expect(of('other')).toEqual(numbers.map((number) => `other ${number}`));
  expect(listening.connections()).toBe(1);
});

test('a slow launcher gets them all on one connection, and those it had not received wait for the next', async () => {
  await using server = await startTestServer();
  const { inOne } = await playerOfTwoGames(server);
  const long = 'x'.repeat(900);
  const messages = Array.from({ length: 12_000 }, (_, number) => `${number} ${long}`);
  await Promise.all(messages.map((message) => notify(server, inOne, message)));
  await using line = await startBalancer([Number(new URL(server.url).port)], { bytesPerSecond: 3_000_000 });
  const waiting = () =>
    server.services.db.read(listUndelivered, { wallet: inOne.wallet, gameId: inOne.gameId }, 12_000);
  const seen: unknown[] = [];
  {
    using listening = listen({ url: line.url, launcherJwt: inOne.launcherJwt });
    await until('some of them', () => listening.received.length >= 500);
    expect(listening.received.length).toBeLessThan(messages.length);
    // More than the connection buffers in flight would be lost with it.
    expect((await waiting()).length).toBeGreaterThan(1_000);
    listening.client.close();
    seen.push(...listening.received.map(({ record }) => record.message));
  }
  await nobodyIsThere(server, inOne);
  await server.services.db.write(markDelivered, []); // after those that are being marked
  const left = (await waiting()).map(({ record }) => record.message);
  using back = listen({ url: line.url, launcherJwt: inOne.launcherJwt });
  await until('the others', () => back.received.length >= left.length);
  await until('all marked', async () => (await waiting()).length === 0);
  expect(back.received.map(({ record }) => record.message).slice(-left.length)).toEqual(left);
  expect(back.connections()).toBe(1);
  expect(seen).toEqual(messages.slice(0, seen.length));
});

test('a connection that closes before it has caught up consumes no notification', async () => {
  await using server = await startTestServer();
  const { inOne } = await playerOfTwoGames(server);
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const reading = interceptReads(server.services.db, listUndelivered, {
    after: (call) => call === 1 && gate,
  });
  using launcher = await connect(server, inOne);
  await until('the catch-up under way', () => reading.calls === 1);
  launcher.socket.io.engine.send('1'); // Socket.IO's DISCONNECT; the underlying connection stays open
  await nobodyIsThere(server, inOne);
  goOn();
  await notify(server, inOne, 'you won');
  expect(await receivedAtConnecting(server, inOne)).toEqual([{ message: 'you won', late: true }]);
});
