import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const openSocket = '/socket.io/?EIO=4&transport=websocket';

function handshake(path: string, version = 13): string {
  return (
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: ${version}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
  );
}

/** A connection whose client never closes its half. */
interface HeldSocket {
  socket: Socket;
  status: string;
  isEndedByServer: boolean;
}

const held: HeldSocket[] = [];

async function hold({ url }: { url: string }, request: string): Promise<HeldSocket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  const one: HeldSocket = { socket, status: '', isEndedByServer: false };
  held.push(one);
  socket.on('error', () => undefined);
  socket.on('end', () => {
    one.isEndedByServer = true;
  });
  await once(socket, 'connect');
  socket.write(request);
  const [bytes]: Buffer[] = await once(socket, 'data');
  one.status = bytes?.toString('latin1', 9, 12) ?? '';
  return one;
}

/** Whether the server has closed both halves: it then answers what is sent with a reset. */
function isGone({ socket, isEndedByServer }: HeldSocket): boolean {
  if (isEndedByServer) socket.write('x');
  return socket.destroyed;
}

afterEach(() => {
  for (const { socket } of held.splice(0)) socket.destroy();
});

async function openPolling(url: string): Promise<string> {
  const opened = await fetch(`${url}/socket.io/?EIO=4&transport=polling`);
  return JSON.parse((await opened.text()).slice(1)).sid;
}

describe('a client that never closes its connection is disconnected', () => {
  test.each([
    ['whose handshake is refused by us', handshake(`${openSocket}&j=0`), '400'],
    ['whose handshake has another version of the WebSocket protocol', handshake(openSocket, 99), '400'],
    ['whose transport does not exist', handshake('/socket.io/?EIO=4&transport=none'), '400'],
    ['whose session does not exist', handshake(`${openSocket}&sid=none`), '400'],
    ['whose handshake names long polling', handshake('/socket.io/?EIO=4&transport=polling'), '101'],
    ['who speaks HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
  ])('%s', async (_who, request, status) => {
    await using server = await startTestServer();
    const client = await hold(server, request);
    expect(client.status).toBe(status);
    await until('the server has closed its socket', () => isGone(client));
  });

  test('who upgrades the same connection again and again', async () => {
    await using server = await startTestServer();
    const path = `${openSocket}&sid=${await openPolling(server.url)}`;
    const clients = await Promise.all(Array.from({ length: 5 }, () => hold(server, handshake(path))));
    expect(clients.map(({ status }) => status)).toEqual(['101', '101', '101', '101', '101']);
    await until('all but the first are closed', () => clients.map(isGone).filter(Boolean).length === 4);
  });
});

test('WebSockets being closed count for their address, others get in, and a shutdown does not wait for them', async () => {
  await using server = await startTestServer({ CONNECTIONS_PER_ADDRESS: '5', TRUST_PROXY: '127.0.0.1' });
  const refused = handshake('/socket.io/?EIO=4&transport=polling');
  const clients = await Promise.all(Array.from({ length: 20 }, () => hold(server, refused)));
  const statuses = clients.map(({ status }) => status);
  expect(statuses.filter((status) => status === '101')).toHaveLength(5);
  expect(statuses.filter((status) => status === '429')).toHaveLength(15);
  const other = io(server.url, {
    transports: ['websocket'],
    extraHeaders: { 'X-Forwarded-For': '203.0.113.7' },
    reconnection: false,
  });
  await until('a client of another address is connected', () => other.connected);
  other.disconnect();
  await server.close();
});

test('an address at its limit stays on long polling, which can upgrade once there is room', async () => {
  await using server = await startTestServer({ CONNECTIONS_PER_ADDRESS: '2' });
  const first = io(server.url, { transports: ['websocket'], forceNew: true });
  await until('connected', () => first.connected);
  const upgrading = handshake(`${openSocket}&sid=${await openPolling(server.url)}`);
  expect((await hold(server, upgrading)).status).toBe('429');
  first.disconnect();
  await until('there is room', async () => (await hold(server, upgrading)).status === '101');
});
