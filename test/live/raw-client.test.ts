import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { endSession } from '../../src/features/sessions/commands.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

interface Cursor {
  epoch: string;
  seq: number;
}
type Meta = { stream: string; late?: true } & Partial<Cursor>;
type Entry = { _id: string; content?: string };
type Streams = Record<string, Cursor & { latest: number; recovered: boolean }>;

/**
 * A complete launcher implementing src/transports/socket/PROTOCOL.md over a bare WebSocket; numbers are its sections.
 */
function rawClient(url: string, launcherJwt: string, cursors = new Map<string, Cursor>()) {
  const client = {
    state: 'connecting' as 'connecting' | 'live' | 'ended',
    received: [] as { name: string; record: Entry; meta: Meta }[],
    cursors,
    toReload: [] as string[], // the streams whose history could not be recovered
    call(operation: string, data: object): Promise<unknown> {
      const answer = Promise.withResolvers<unknown>();
      socket.send(`42${calls.push(answer) - 1}${JSON.stringify([operation, 'launcher', data, {}])}`); // 7
      return answer.promise;
    },
    loseConnection: () => socket.close(),
    [Symbol.dispose]() {
      client.state = 'ended';
      socket.close();
    },
  };
  const calls: PromiseWithResolvers<unknown>[] = [];
  const notified = new Set<string>();
  let failures = 0;
  let patienceMs = 45_000;
  let silence: NodeJS.Timeout | undefined;
  let socket = connect();
  function connect(): WebSocket {
    const opened = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    opened.addEventListener('message', ({ data }) => opened === socket && receive(String(data)));
    opened.addEventListener('close', () => opened === socket && lost());
    return opened;
  }
  function receive(frame: string): void {
    const [, type, call, body] = /^(4?\d)(\d*)(.*)$/s.exec(frame) ?? [];
    const value = body ? JSON.parse(body) : undefined;
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), patienceMs).unref(); // 1
    if (type === '0') {
      patienceMs = value.pingInterval + value.pingTimeout;
      socket.send(`40${JSON.stringify({ launcherJwt, cursors: Object.fromEntries(cursors) })}`); // 2
    }
    if (type === '2') socket.send('3');
    if (type === '42' && value[0] === 'realtime-events connected') begin(value[1].streams);
    else if (type === '42') hear(value[0], value[1], value[2]);
    if (type === '43' && value[0]) calls[Number(call)]?.reject(value[0]);
    else if (type === '43') calls[Number(call)]?.resolve(value[1]);
    if (type === '41' || (type === '44' && value.data.code < 500)) client.state = 'ended'; // 9, 3
    if (type === '44') socket.close();
  }
  function begin(streams: Streams): void {
    cursors.clear(); // 6
    for (const [stream, { epoch, seq, recovered }] of Object.entries(streams)) {
      cursors.set(stream, { epoch, seq });
      if (!recovered) client.toReload.push(stream);
    }
    client.state = 'live';
    failures = 0;
  }
  function hear(name: string, record: Entry, meta: Meta) {
    const { stream, epoch, seq } = meta;
    const cursor = cursors.get(stream);
    if (!meta.late && epoch !== undefined && seq !== undefined) {
      if (cursor?.epoch === epoch && seq <= cursor.seq) return;
      if (cursor?.epoch === epoch && seq > cursor.seq + 1) return reconnect();
      cursors.set(stream, { epoch, seq });
    }
    if (name === 'notifications created') {
      if (notified.has(record._id)) return;
      notified.add(record._id);
    }
    client.received.push({ name, record, meta });
  }
  function reconnect(): void {
    for (const { reject } of calls) reject(new Error('the connection was lost')); // 7
    socket.close();
    socket = connect();
  }
  function lost(): void {
    if (client.state === 'ended') return;
    client.state = 'connecting';
    setTimeout(reconnect, Math.min(250 * 2 ** failures++, 5_000) * (0.5 + Math.random())).unref();
  }
  return client;
}

/** Two players of one game, one of them connected; and how to call for the other, over HTTP. */
async function twoPlayers(server: TestServer) {
  const { gameId } = await server.createGame();
  const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
  const calls = async (operation: string, data: object): Promise<{ _id: string }> => {
    const headers = { 'X-Service-Method': operation };
    const { status, body } = await post(
      `${server.url}/launcher`,
      { launcherJwt: ada.launcherJwt, ...data },
      headers,
    );
    expect(status, operation).toBe(200);
    return z.looseObject({ _id: z.string() }).parse(body);
  };
  return { grace, calls };
}

const isLive = (client: ReturnType<typeof rawClient>) =>
  until('the connection', () => client.state === 'live');

test('a launcher calls with an acknowledgement, receives a message, and after a lost connection the missed events, once', async () => {
  await using server = await startTestServer();
  const { grace, calls } = await twoPlayers(server);
  using client = rawClient(server.url, grace.launcherJwt);
  await isLive(client);

  expect(await client.call('setUserScore', { score: 1200 })).toMatchObject({ newScore: { score: 1200 } });
  await expect(client.call('setUserScore', { score: 'many' })).rejects.toMatchObject({
    code: 400,
    data: { reason: 'score_not_finite' },
  });
  const { _id: channelId } = await calls('createMessageChannel', { otherParticipants: [grace.wallet] });
  await calls('sendChannelMessage', { channelId, content: 'received live' });
  await until('the message', () => contents(client).includes('received live'));

  client.loseConnection();
  await until('the loss', () => client.state === 'connecting');
  await calls('sendChannelMessage', { channelId, content: 'missed' });
  await calls('sendChannelMessage', { channelId, content: 'missed too' });
  await until('the replay', () => contents(client).includes('missed too'));

  await calls('sendChannelMessage', { channelId, content: 'live again' });
  await until('the last message', () => contents(client).includes('live again'));
  expect(contents(client)).toEqual(['received live', 'missed', 'missed too', 'live again']);
  const ofChannel = client.received.filter(({ meta }) => meta.stream === `channel:${channelId}`);
  expect(ofChannel.map(({ meta }) => meta.seq)).toEqual([1, 2, 3, 4, 5]);
});

test('a launcher is told which stream to reload when missed events are no longer kept', async () => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '3' });
  const { grace, calls } = await twoPlayers(server);
  using before = rawClient(server.url, grace.launcherJwt);
  await isLive(before);
  const { _id: channelId } = await calls('createMessageChannel', { otherParticipants: [grace.wallet] });
  await until('the channel', () => before.cursors.has(`channel:${channelId}`));
  before[Symbol.dispose]();
  for (const content of ['1', '2', '3', '4']) await calls('sendChannelMessage', { channelId, content });

  using after = rawClient(server.url, grace.launcherJwt, before.cursors);
  await isLive(after);
  expect(after.toReload).toEqual([`channel:${channelId}`]);
  await calls('sendChannelMessage', { channelId, content: 'from here on' });
  await until('the next message', () => contents(after).length > 0);
  expect(contents(after)).toEqual(['from here on']);
});

test('a launcher receives everything since its return to a channel it was removed from, once', async () => {
  await using server = await startTestServer();
  const { grace, calls } = await twoPlayers(server);
  using client = rawClient(server.url, grace.launcherJwt);
  await isLive(client);
  const { _id: channelId } = await calls('createMessageChannel', { otherParticipants: [grace.wallet] });
  await until('the channel', () => client.cursors.has(`channel:${channelId}`));

  await calls('removeParticipant', { channelId, wallet: grace.wallet });
  await calls('sendChannelMessage', { channelId, content: 'not for her' });
  await calls('addParticipant', { channelId, wallet: grace.wallet });
  await calls('sendChannelMessage', { channelId, content: 'welcome back' });
  await until('the message', () => contents(client).includes('welcome back'));
  const ofChannel = client.received.filter(({ meta }) => meta.stream === `channel:${channelId}`);
  expect(ofChannel.map(({ name, meta }) => [name, meta.seq])).toEqual([
    ['message-channels created', 1],
    ['message-channels patched', 4],
    ['chat-messages created', 5],
  ]);
});

test('a launcher reconnects to a restarted server, and stays disconnected once its session has ended', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'gantry-raw-'));
  await using first = await startTestServer({ DATA_DIR: directory.path });
  const { grace, calls } = await twoPlayers(first);
  using client = rawClient(first.url, grace.launcherJwt);
  await isLive(client);
  const { _id: channelId } = await calls('createMessageChannel', { otherParticipants: [grace.wallet] });
  await until('the channel', () => client.cursors.has(`channel:${channelId}`));

  await first.close();
  await until('the loss', () => client.state === 'connecting');
  await using second = await startTestServer({
    DATA_DIR: directory.path,
    PORT: new URL(first.url).port,
  });
  await isLive(client);
  await calls('sendChannelMessage', { channelId, content: 'on the restarted server' });
  await until('the message', () => contents(client).length > 0);

  await second.services.db.write(endSession, grace.wallet, grace.sessionId);
  await until('the end', () => client.state === 'ended');
  expect(client.received.at(-1)).toMatchObject({
    name: 'game-channels patched',
    record: { _id: grace.sessionId, exists: false },
  });
  using refused = rawClient(second.url, grace.launcherJwt);
  await until('the refusal', () => refused.state === 'ended');
  expect(refused.received).toEqual([]);
});

/** The texts of the messages it has received. */
function contents({ received }: Pick<ReturnType<typeof rawClient>, 'received'>): (string | undefined)[] {
  return received.filter(({ name }) => name === 'chat-messages created').map(({ record }) => record.content);
}
