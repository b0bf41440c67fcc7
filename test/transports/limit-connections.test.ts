import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

async function open(url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Whether the server answers a request on this connection. */
async function isAnswered(socket: Socket): Promise<boolean> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  const [bytes] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as unknown[];
  return Buffer.isBuffer(bytes) && bytes.toString().startsWith('HTTP/1.1 200 ');
}

test('idle connections from one address are limited to twice its live ones, and closing one makes room', async () => {
  await using server = await startTestServer({ CONNECTIONS_PER_ADDRESS: '2' });
  const idle = [];
  for (let at = 0; at < 4; at++) {
    const socket = await open(server.url);
    expect(await isAnswered(socket)).toBe(true);
    idle.push(socket);
  }
  expect(await isAnswered(await open(server.url))).toBe(false);
  idle[0]?.destroy();
  await until('room for another', async () => isAnswered(await open(server.url)));
  for (const socket of idle) socket.destroy();
});

test('the connections of a trusted proxy are not counted', async () => {
  await using server = await startTestServer({ CONNECTIONS_PER_ADDRESS: '1', TRUST_PROXY: 'loopback' });
  const sockets = [];
  for (let at = 0; at < 5; at++) sockets.push(await open(server.url));
  expect(await Promise.all(sockets.map(isAnswered))).toEqual(Array(5).fill(true));
  for (const socket of sockets) socket.destroy();
});
