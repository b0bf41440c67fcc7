import { once } from 'node:events';
import { createServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { onAnyEvent, releaseHandshake } from '../../src/runtime/internals/socket-io.ts';
import { until } from '../support/until.ts';

/** A Socket.IO server and two clients with tokens. */
async function connectTwo(onConnection: (socket: Socket) => void) {
  const http = createServer();
  const server = new Server(http);
  server.on('connection', onConnection);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const clients = ['first', 'second'].map((token) =>
    io(url, { auth: { token }, transports: ['websocket'], forceNew: true, reconnection: false }),
  );
  await until('both are connected', () => clients.every(({ connected }) => connected));
  return {
    server,
    clients,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.disconnect();
      await server.close();
    },
  };
}

test("a listener is told of each of its client's events, with attachments and the function that answers", async () => {
  const told: unknown[] = [];
  await using sockets = await connectTwo((socket) => {
    const { token } = socket.handshake.auth;
    onAnyEvent(socket, { onAnyEvent: () => told.push('the listener that was replaced') });
    onAnyEvent(socket, {
      onAnyEvent(emitted) {
        told.push([token, ...emitted.slice(0, 2)]);
        const answer = emitted.at(-1);
        if (typeof answer === 'function') answer(null, `to ${token}`);
      },
    });
  });
  const [first, second] = sockets.clients;
  expect(await second?.emitWithAck('call', Buffer.from([1, 2]))).toBe(null);
  first?.emit('tell', 'x');
  await until('told', () => told.length === 2);
  expect(told).toEqual([
    ['second', 'call', Buffer.from([1, 2])],
    ['first', 'tell', 'x'],
  ]);
});

test('a client remains connected without its handshake, which is retained no more', async () => {
  await using sockets = await connectTwo((socket) => {
    expect(socket.handshake.auth.token).toBeDefined();
    releaseHandshake(socket);
    socket.on('call', (answer) => answer(socket.handshake.auth));
  });
  for (const client of sockets.clients) expect(await client.emitWithAck('call')).toEqual({});
  sockets.clients[0]?.disconnect();
  await until('one has left', () => sockets.server.sockets.sockets.size === 1);
});
