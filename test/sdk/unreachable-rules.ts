import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { refusingPort } from '../support/free-port.ts';
import { type Driver, refusalOf } from './driver.ts';
import { ScriptedServer } from './scripted-server.ts';

interface Address extends AsyncDisposable {
  url: string;
}

async function closedPort(): Promise<Address> {
  const held = await refusingPort();
  return { url: `http://127.0.0.1:${held.port}`, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
}

async function listening(server: ReturnType<typeof createServer>): Promise<Address> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

const addresses = [
  { what: 'a closed port', start: closedPort },
  { what: 'a port that accepts and never responds', start: () => listening(createServer()) },
  {
    what: 'a web server that is not Gantry',
    start: () =>
      listening(
        createHttpServer((_, response) => {
          response.setHeader('Access-Control-Allow-Origin', '*');
          response.setHeader('Access-Control-Allow-Headers', '*');
          response.end('<h1>Welcome</h1>');
        }),
      ),
  },
];

/** What an SDK reports when there is no Gantry at its address, tested inside of `describeClientRules`. */
export function testUnreachable(driver: () => Driver): void {
  test.each(addresses)(
    'at $what, connecting and calling fail within the timeout, with its address',
    async ({ start }) => {
      await using address = await start();
      const options = { url: address.url, launcherJwt: 'a token', timeoutMs: 1_500 };
      const [overSocket, overHttp] = await Promise.all([
        driver().open(options),
        driver().open({ ...options, callOver: 'http' }),
      ]);
      const [connecting, socketCall, httpCall] = await Promise.all([
        refusalOf(overSocket.ready()),
        refusalOf(overSocket.call('setUserScore', { score: 5 })),
        refusalOf(overHttp.call('setUserScore', { score: 5 })),
      ]);
      expect(connecting).toMatchObject({ reason: 'connection_lost', code: 0 });
      expect(connecting.message).toContain(address.url);
      const message = `No response from Gantry at ${address.url}: it could not be reached, or the connection was lost`;
      expect(socketCall).toMatchObject({ reason: 'connection_lost', code: 0, message });
      expect(httpCall).toMatchObject({ reason: 'connection_lost', code: 0, message });
      await Promise.all([overSocket.close(), overHttp.close()]);
    },
  );

  test('a client that could not connect in time continues to try', async () => {
    const address = await closedPort();
    const client = await driver().open({ url: address.url, launcherJwt: 'a token', timeoutMs: 1_000 });
    expect(await refusalOf(client.ready())).toMatchObject({ reason: 'connection_lost' });
    await address[Symbol.asyncDispose]();
    await using server = await ScriptedServer.start(Number(new URL(address.url).port));
    await client.until('live');
    await client.ready();
    expect(server.handshakes).toHaveLength(1);
    await client.close();
  });
}
