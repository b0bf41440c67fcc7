import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { listChannelMessages } from '../../src/features/messages/queries.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { GantryError } from '../../src/sdk/client/client-error.ts';
import { startBalancer } from '../support/balancer.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { get } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { type ListeningClient, listen } from '../support/listening-client.ts';
import { startTestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';
import { balance, isCaughtUp } from './ledger-book.ts';
import { startSending } from './message-sender.ts';

/** A connection that has sent the first half of a request, and never sends the rest. */
async function halfARequest(port: number): Promise<Socket & Disposable> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(
    'POST /launcher/set-user-score HTTP/1.1\r\nHost: gantry\r\nContent-Length: 1000\r\n\r\n{"laun',
  );
  return Object.assign(socket, { [Symbol.dispose]: () => socket.destroy() });
}

/** Sends one message after the other over the socket, each retried until acknowledged. */
function sendOverSocket({ client }: ListeningClient, channelId: string) {
  let acknowledged = 0;
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      try {
        await client.ready();
        await client.call('sendChannelMessage', { channelId, content: `over the socket ${acknowledged}` });
        acknowledged++;
      } catch (error) {
        if (!(error instanceof GantryError) || (error.code !== 0 && error.code !== 503)) throw error;
      }
    }
  })();
  return {
    acknowledged: () => acknowledged,
    async stop() {
      stopped = true;
      await done;
    },
  };
}

test('SIGTERM under load, with hanging clients: accepted calls are answered, the exit is clean, and launchers miss nothing', async ({
  annotate,
}) => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  await using stalling = await startBalancer([node.port]);
  const gameId = await data.createGame();
  const players = await Promise.all(Array.from({ length: 10 }, () => data.openSession(gameId)));
  const [ada, ...others] = players;
  if (!ada) throw new Error('no players');
  const { _id: channelId } = await data.db.write(
    createChannel,
    ada,
    others.map(({ wallet }) => wallet),
  );
  const clients = players.map((player) => ({
    player,
    listening: listen({ url: node.url, launcherJwt: player.launcherJwt }),
  }));
  await Promise.all(clients.map(({ listening }) => listening.client.ready()));
  using hungSocket = listen({ url: stalling.url, launcherJwt: ada.launcherJwt });
  await hungSocket.client.ready();
  stalling.stall();
  using _hungRequest = await halfARequest(node.port);
  using _anotherHungRequest = await halfARequest(node.port);

  const senders = clients.slice(0, 4).map(({ listening }) => sendOverSocket(listening, channelId));
  const sender = startSending({
    urls: [node.url],
    perSecond: 100,
    channels: [{ id: channelId, participants: players }],
  });
  await until('load', () => sender.counts.acknowledged > 300);

  const { exitCode, tookMs } = await node.stop();
  await annotate(`stopped in ${Math.round(tookMs)} ms`);
  expect(exitCode).toBe(0);
  // Ten seconds by our own deadlines, more on a machine that is busy with other tests.
  expect(tookMs).toBeLessThan(20_000);
  expect(node.log()).not.toMatch(/ending anyway|did not stop cleanly|unhandled/);

  await node.start();
  stalling.resume();
  const before = sender.counts.acknowledged;
  await until('load again', () => sender.counts.acknowledged > before + 300);
  await sender.stop();
  await Promise.all(senders.map((one) => one.stop()));
  await until('everyone caught up', () => isCaughtUp(data.db, clients));

  // A message executed without a response would have been resent, and be there twice.
  const { total } = await data.db.read(listChannelMessages, ada, channelId, { limit: 1, skip: 0 });
  const overSockets = senders.reduce((sum, one) => sum + one.acknowledged(), 0);
  expect(total).toBe(sender.counts.acknowledged + overSockets);
  expect(overSockets).toBeGreaterThan(20);
  expect(await balance(data.db, clients, sender.acknowledged)).toMatchObject({
    missed: 0,
    acknowledgedMissed: 0,
    outOfOrder: 0,
    duplicates: 0,
  });
  expect(clients.map(({ listening }) => listening.connections())).toEqual(clients.map(() => 2));
});

test('SIGTERM without hanging clients takes no longer than the drain', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  const gameId = await data.createGame();
  const player = await data.openSession(gameId);
  using listening = listen({ url: node.url, launcherJwt: player.launcherJwt });
  await listening.client.ready();
  const { exitCode, tookMs } = await node.stop();
  expect(exitCode).toBe(0);
  expect(tookMs).toBeLessThan(4_000);
});

test('a long-polling launcher receives the result of the call in flight, and reconnects to the restarted node', async () => {
  await using data = await openSharedData();
  await using node = await startClusterNode({ DATA_DIR: data.path });
  const player = await data.openSession(await data.createGame());
  const socket = io(node.url, {
    auth: { launcherJwt: player.launcherJwt },
    transports: ['polling'],
    forceNew: true,
    reconnectionDelay: 200,
    reconnectionDelayMax: 500,
  });
  let acknowledged = 0;
  const set = (score: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (error: unknown) => {
        socket.off('disconnect', done);
        if (error === null) acknowledged++;
        resolve();
      };
      socket.once('disconnect', done);
      socket.emit('setUserScore', 'launcher', { score }, {}, done);
    });
  await until('connected', () => socket.connected);
  let stopped = false;
  const setting = (async () => {
    for (let score = 0; !stopped; score++) {
      if (socket.connected) await set(score);
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  await until('load', () => acknowledged > 50);
  expect(await node.stop()).toMatchObject({ exitCode: 0 });
  await node.start();
  await until('load again', () => acknowledged > 100);
  stopped = true;
  await setting;
  socket.disconnect();
  const scores = [];
  for (let skip = 0; scores.length === skip; skip += 250) {
    scores.push(...(await data.db.read(listScores, player, { limit: 250, skip })));
  }
  expect(scores.length).toBe(acknowledged);
});

test('while a stop waits for a launcher that no longer polls, new connections are told to retry later', async () => {
  await using server = await startTestServer();
  const { launcherJwt, sessionId } = await server.openSession((await server.createGame()).gameId);
  const session = `${server.url}/socket.io/?EIO=4&transport=polling`;
  const opened = await (await fetch(session)).text();
  const { sid } = z.object({ sid: z.string() }).parse(JSON.parse(opened.slice(1)));
  const said = await fetch(`${session}&sid=${sid}`, {
    method: 'POST',
    body: `40${JSON.stringify({ launcherJwt })}`,
  });
  expect(await said.text()).toBe('ok');
  await until('connected', async () => server.services.presence.isPresent(sessionId));

  const from = performance.now();
  const closed = server.close();
  await expect(connectLauncher(server.url, { launcherJwt })).rejects.toMatchObject({
    data: { code: 503, data: { reason: 'not_ready' } },
  });
  await expect(connectLauncher(server.url)).rejects.toMatchObject({
    data: { data: { reason: 'not_ready' } },
  });
  expect(await get(`${server.url}/readyz`)).toMatchObject({
    status: 503,
    body: { data: { reason: 'not_ready' }, database: 'ready', redis: 'none' },
  });
  await closed;
  expect(performance.now() - from).toBeLessThan(8_000);
});
