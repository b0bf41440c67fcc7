import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A TCP load balancer: each connection goes to the next server that accepts it, as behind a production address. */
export interface Balancer extends AsyncDisposable {
  url: string;
  /** Pauses reading from the servers, on every connection, until `resume`: its clients stop reading. */
  stall(): void;
  resume(): void;
}

/** `bytesPerSecond` limits what each client receives, as a slow connection would. */
export async function startBalancer(
  ports: readonly number[],
  { bytesPerSecond }: { bytesPerSecond?: number } = {},
): Promise<Balancer> {
  const open = new Set<Socket>();
  /** The connection to each client's server. */
  const servers = new Map<Socket, Socket>();
  let stalled = false;
  let turn = 0;

  function forward(client: Socket, triesLeft: number): void {
    const port = ports[turn++ % ports.length];
    if (port === undefined || triesLeft === 0 || client.destroyed) {
      client.destroy();
      return;
    }
    const server = connect(port, '127.0.0.1');
    const next = () => forward(client, triesLeft - 1);
    server.once('error', next);
    server.once('connect', () => {
      server.off('error', next);
      server.on('error', () => server.destroy());
      servers.set(client, server);
      client.pipe(server);
      if (bytesPerSecond !== undefined) server.pipe(slowLine(bytesPerSecond)).pipe(client);
      else if (!stalled) server.pipe(client);
      server.once('close', () => {
        servers.delete(client);
        client.end(); // after the bytes still buffered for it
      });
      client.once('close', () => server.destroy());
    });
  }

  const listener = createServer((client) => {
    open.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => open.delete(client));
    forward(client, ports.length);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stall() {
      stalled = true;
      for (const [client, server] of servers) server.unpipe(client).pause();
    },
    resume() {
      stalled = false;
      for (const [client, server] of servers) server.pipe(client);
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of [...open, ...servers.values()]) socket.destroy();
      await closed;
    },
  };
}

function slowLine(bytesPerSecond: number): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      setTimeout(() => done(null, chunk), (chunk.length / bytesPerSecond) * 1000);
    },
  });
}
