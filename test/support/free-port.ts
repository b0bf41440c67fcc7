import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of 127.0.0.1 that nobody currently listens on, for a server that must come back on the same port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * A port of 127.0.0.1 that refuses connections until it is disposed of: it is the local end of a connection, so that no
 * server that asks for a free port gets it.
 */
export async function refusingPort(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: to } = server.address() as AddressInfo;
  // Bound, to no particular port: a port that `connect` chooses is shared with connections to elsewhere, which outlast this.
  const socket = connect({ host: '127.0.0.1', port: to, localAddress: '127.0.0.1' });
  const [[accepted]] = await Promise.all([
    once(server, 'connection') as Promise<[Socket]>,
    once(socket, 'connect'),
  ]);
  server.close();
  accepted.on('error', () => undefined);
  return {
    port: (socket.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => accepted.once('close', resolve));
      socket.resetAndDestroy(); // closed in the normal way, it would be kept for a minute
      await closed;
    },
  };
}
