import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const startup = (user: string, database: string): Buffer => {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(196_608, 4); // protocol 3.0
  return Buffer.concat([head, body]);
};

/** AuthenticationOk, then ReadyForQuery: idle. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

export interface TestPooler extends AsyncDisposable {
  url: string;
}

/**
 * Emulates PgBouncer with `pool_mode = transaction` and a pool of one: all clients share one connection to the server,
 * one transaction at a time. It implements as much of the protocol as that needs, and no passwords.
 */
export async function startTransactionPooler(url: string): Promise<TestPooler> {
  const { hostname, port, username, pathname } = new URL(url);
  const server = connect(Number(port), hostname);
  await once(server, 'connect');
  server.setNoDelay();
  server.write(startup(username, pathname.slice(1)));
  let answering: { to: Socket | null; done: () => void } | null = null;
  let unread = Buffer.alloc(0);
  server.on('data', (data: Buffer) => {
    unread = Buffer.concat([unread, data]);
    while (unread.length >= 5 && unread.length >= 1 + unread.readInt32BE(1)) {
      const message = unread.subarray(0, 1 + unread.readInt32BE(1));
      unread = unread.subarray(message.length);
      answering?.to?.write(message);
      if (message[0] === 0x5a && message[5] === 0x49) answering?.done(); // ready, and not in a transaction
    }
  });
  const answered = (to: Socket | null) =>
    new Promise<void>((done) => {
      answering = { to, done };
    });
  await answered(null); // to the startup

  let turn: Promise<unknown> = Promise.resolve();
  const sockets = new Set<Socket>();
  const pooler = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', () => {
      client.write(welcome);
      client.on('data', (data) => {
        if (data[0] === 0x58) return void client.end(); // the client disconnects
        turn = turn.then(() => {
          const done = answered(client);
          server.write(data);
          return done;
        });
      });
    });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  return {
    url: `postgres://${username}@127.0.0.1:${(pooler.address() as AddressInfo).port}${pathname}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.destroy();
      pooler.close();
      await once(pooler, 'close');
    },
  };
}
