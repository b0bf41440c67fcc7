import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of 127.0.0.1 that forwards to another one, like the address of whichever server is the primary. */
export interface Forwarder extends AsyncDisposable {
  port: number;
  /** Forwards to another port from now on; existing connections are closed. */
  to(port: number): void;
  /** Forwards nowhere: connections are closed, and none is made until `to`. */
  cut(): void;
  /** Holds back what the other side sends, on the connections that are open; returns how to pass it on. */
  hold(): () => void;
}

export async function startForwarder(port: number): Promise<Forwarder> {
  const open = new Set<Socket>();
  /** The open connections to the other side, with the client's. */
  const connections = new Map<Socket, Socket>();
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
    connections.set(server, client);
    server.once('close', () => connections.delete(server));
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
    hold() {
      const held = [...connections];
      for (const [server, client] of held) server.unpipe(client);
      return () => {
        for (const [server, client] of held) server.pipe(client);
      };
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      close();
      await closed;
    },
  };
}
