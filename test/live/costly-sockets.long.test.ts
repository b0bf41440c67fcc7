import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEpoch } from '../../src/features/events/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { connectLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { openRawWebSocket, text } from '../support/raw-websocket.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

interface HttpAnswer {
  status: number | undefined;
  retryAfter: string | undefined;
  body: string;
}

/** A long-polling request that would open a connection. */
function poll(url: string, query = ''): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    get(`${url}/socket.io/?EIO=4&transport=polling${query}`, { agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      const { statusCode: status, headers } = response;
      response.on('end', () => resolve({ status, retryAfter: headers['retry-after'], body }));
    }).on('error', reject);
  });
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function newPlayer() {
  return server.openSession((await server.createGame()).gameId);
}

test('a player in 6,000 channels reconnects with cursors of some, and receives nothing twice', async () => {
  const launcher = await server.createGame({ kind: 'launcher' });
  const ada = await server.openSession(launcher.gameId);
  const { db } = server.services;
  // A player can be added to at most a thousand per game.
  const games = await Promise.all(upTo(6).map(() => server.createGame()));
  const channels = await Promise.all(
    games.flatMap(({ gameId }) =>
      upTo(1_000).map(() => db.write(createChannel, { gameId, wallet: randomWallet() }, [ada.wallet])),
    ),
  );
  using first = listen({ url: server.url, launcherJwt: ada.launcherJwt });
  await first.client.ready();
  const saved = first.client.cursors;
  expect(Object.keys(saved)).toHaveLength(6_001);
  first.client.close();
  const [quiet, busy] = [channels[0], channels.at(-1)];
  const say = async (channel: typeof quiet, content: string) => {
    const sender = { gameId: channel?.gameId ?? '', wallet: channel?.participants[0]?.wallet ?? '' };
    await db.write(sendMessage, sender, channel?._id ?? '', content);
  };
  await say(quiet, 'sent in one whose cursor is omitted');
  await say(busy, 'said in one of the last');

  using second = listen({ url: server.url, launcherJwt: ada.launcherJwt, cursors: saved });
  await second.client.ready();
  await until('the replay', () =>
    second.received.some(({ record }) => record.content === 'said in one of the last'),
  );
  // Events of a stream without a cursor must be loaded; the thousands of streams without events need not be.
  expect(second.resyncs).toEqual([`channel:${quiet?._id}`]);
  await say(quiet, 'live');
  await until('the next', () => second.received.some(({ record }) => record.content === 'live'));
  expect(second.received.filter(({ name }) => name.startsWith('message-channels'))).toEqual([]);
  expect(second.connections()).toBe(1);
  expect(Object.keys(second.client.cursors)).toHaveLength(6_001);
});

test("deliberately omitted cursors start at the stream's position; otherwise the streams are replayed from joining", async () => {
  const ada = await newPlayer();
  const { db } = server.services;
  const stream = `channel:${(await db.write(createChannel, { ...ada, wallet: randomWallet() }, [ada.wallet]))._id}`;
  const epoch = await db.read(readEpoch);
  const cursors = { [`player:${ada.gameId}:${ada.wallet}`]: { epoch, seq: 0 } };
  const { launcherJwt } = ada;
  using all = await connectLauncher(server.url, { launcherJwt, cursors });
  expect((await all.streams())[stream]).toMatchObject({ seq: 0, latest: 1, recovered: true });
  using some = await connectLauncher(server.url, { launcherJwt, cursors, partial: true });
  expect((await some.streams())[stream]).toMatchObject({ seq: 1, latest: 1, recovered: false });
});

test('a handshake with 180,000 cursors is refused with a clear error before it is parsed, and its connection closed', async () => {
  const { launcherJwt } = await newPlayer();
  using raw = await openRawWebSocket(server);
  const cursors = upTo(180_000).map((at) => `"${at}":0`);
  raw.send(text(`40{"launcherJwt":"${launcherJwt}","cursors":{${cursors.join()}}}`));
  await until('the refusal', () => raw.texts.some((one) => one.startsWith('44')));
  const refusal = JSON.parse(raw.texts.find((one) => one.startsWith('44'))?.slice(2) ?? '');
  expect(refusal.data).toMatchObject({ code: 400, data: { reason: 'cursors_invalid' } });
  expect(refusal.message).toContain('524288 characters');
  await until('the close frame', () => raw.closeCode() !== null);
  expect(raw.texts.some((one) => one.startsWith('40'))).toBe(false);
});

test('too many cursors in a shorter one are refused for their number, whatever their content', async () => {
  const { launcherJwt } = await newPlayer();
  const cursors = Object.fromEntries(upTo(10_000).map((at) => [at, 0]));
  await expect(connectLauncher(server.url, { launcherJwt, cursors })).rejects.toMatchObject({
    data: { data: { reason: 'cursors_invalid' }, message: expect.stringContaining('10000 streams') },
  });
});

test('JSONP is refused with a clear error, whichever way it is requested', async () => {
  for (const query of ['&j=0', '&j=', '&j=a&j=b']) {
    const { status, body } = await poll(server.url, query);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ data: { reason: 'input_invalid' } });
    expect(JSON.parse(body).message).toContain('JSONP');
  }
  expect((await poll(server.url)).status).toBe(200);
});

test('connection attempts are counted per address before they are processed, over polling and WebSocket', async () => {
  await using strict = await startTestServer({ RATE_LIMIT_FACTOR: '0.002' }); // 12 in half a minute
  const answers = await Promise.all(upTo(15).map(() => poll(strict.url)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(12);
  const refused = answers.find(({ status }) => status === 429);
  expect(JSON.parse(refused?.body ?? '')).toMatchObject({ code: 429, data: { reason: 'rate_limited' } });
  expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
  await expect(connectLauncher(strict.url)).rejects.toThrow();
});

test('open connections are limited per address, until one is closed', async () => {
  await using strict = await startTestServer({ CONNECTIONS_PER_ADDRESS: '2' });
  const [one, other] = [await connectLauncher(strict.url), await connectLauncher(strict.url)];
  const { status, body, retryAfter } = await poll(strict.url);
  expect([status, retryAfter]).toEqual([429, '10']);
  expect(JSON.parse(body).message).toContain('2 connections from your address');
  await expect(connectLauncher(strict.url)).rejects.toThrow();
  one.socket.disconnect();
  await until('room', async () => (await poll(strict.url)).status === 200);
  other.socket.disconnect();
});

test('sockets that answer pings but read nothing while catching up are closed, at little cost to the others', async () => {
  const ada = await newPlayer();
  const { db } = server.services;
  const { _id } = await db.write(createChannel, ada, [randomWallet()]);
  const content = '漢'.repeat(4_000);
  await Promise.all(upTo(1_500).map(() => db.write(sendMessage, ada, _id, content))); // 18 MB
  const epoch = await db.read(readEpoch);
  const cursors = { [`channel:${_id}`]: { epoch, seq: 1 } };
  const raws = await Promise.all(upTo(20).map(() => openRawWebSocket(server)));
  const closed = raws.map(
    ({ socket }) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  );
  for (const raw of raws) {
    raw.socket.pause();
    raw.send(text(`40${JSON.stringify({ launcherJwt: ada.launcherJwt, cursors })}`));
  }
  const pongs = setInterval(() => {
    for (const raw of raws) raw.send(text('3'));
  }, 500);
  const open = () => server.services.presence.isPresent(ada.sessionId);
  await until('they are connected', open);
  await until('all closed', async () => !(await open()));
  clearInterval(pongs);
  for (const raw of raws) raw[Symbol.dispose]();
  await Promise.all(closed);
});
