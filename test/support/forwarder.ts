import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of 127.0.0.1 that forwards to another one, like the address of whichever server is the primary. */
export interface Forwarder extends AsyncDisposable {
  port: number;
  /** Forwards to another port from now on; existing connections are closed. */
  to(port: number): void;
  /** Forwards nowhere: connections are closed, and none is made until `to`. */
  cut(): void;
}

export async function startForwarder(port: number): Promise<Forwarder> {
  const open = new Set<Socket>();
  let target: number | null = port;
  const close = () => {
    for (const socket of open) socket.destroy();
  };
  const listener = createServer((client) => {
    if (target === null) {
      client.destroy();
      return;
    }
    const server = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    to(next) {
      close();
      target = next;
    },
    cut() {
      target = null;
      close();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      close();
      await closed;
    },
  };
}
