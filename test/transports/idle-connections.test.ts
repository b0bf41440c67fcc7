import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

const get = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

/** A connection on which one request has been answered; resolves with it and the response. */
async function idleConnection(url: string): Promise<{ socket: Socket; response: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(get);
  const [response] = await once(socket, 'data');
  return { socket, response: String(response) };
}

test('idle connections stay open for longer than Cloudflare (900 s) and other proxies reuse them', async () => {
  await using server = await startTestServer();
  const { socket, response } = await idleConnection(server.url);
  expect(response).toMatch(/^Keep-Alive: timeout=960\r$/m);
  socket.destroy();
});

test('an idle connection is closed after KEEP_ALIVE_SECONDS', async () => {
  await using server = await startTestServer({ KEEP_ALIVE_SECONDS: '1' });
  const { socket } = await idleConnection(server.url);
  await once(socket.resume(), 'close');
});

test('a server that shuts down closes idle connections', async () => {
  await using server = await startTestServer();
  const idle = await Promise.all(Array.from({ length: 20 }, () => idleConnection(server.url)));
  const closed = Promise.all(idle.map(({ socket }) => once(socket.resume(), 'close')));
  await server.close();
  await closed;
});
