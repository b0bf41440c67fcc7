import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setScore } from '../../src/features/scores/commands.ts';
import { AddressGuard, type Resolve } from '../../src/features/webhooks/address-guard.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { HttpWebhookSender } from '../../src/features/webhooks/http-webhook-sender.ts';
import { createWebhook, updateWebhook } from '../../src/features/webhooks/operations/webhooks.ts';
import { readDeliveries } from '../../src/features/webhooks/queries.ts';
import { newWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts';
import { overHttp } from '../support/administration.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/** Every address of this machine, on one port; counts connections. */
interface Listener extends AsyncDisposable {
  port: number;
  connections(): number;
}

async function startListener(): Promise<Listener> {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  });
  server.listen(0, '::'); // IPv4 too
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Hosts that mean this machine or a private network, in any notation. */
const hosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0177.0x0.0.1',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '0x0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'hooks.localhost',
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '168.63.129.16',
];

/** Names, and the answers of their authoritative servers. */
const names: Record<string, string[]> = {
  'loopback.example': ['127.0.0.1'],
  'loopback-six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zero.example': ['0.0.0.0'],
  'unspecified.example': ['::'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'six-to-four.example': ['2002:7f00:1::1'],
  'private.example': ['10.0.0.1', '192.168.1.1'],
  'metadata.example': ['169.254.169.254'],
  'unique-local.example': ['fd00::1'],
  'link-local.example': ['fe80::1%lo'],
  'both.example': ['::1', '127.0.0.1'],
  'nonsense.example': ['not an address'],
  'nothing.example': [],
};

let listener: Listener;
beforeAll(async () => {
  listener = await startListener();
});
afterAll(() => listener[Symbol.asyncDispose]());

const message = { id: 'msg', body: '{}', secrets: [newWebhookSecret()] };

function reached(url: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent: false, timeout: 300 }, (response) =>
      response.resume(),
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => undefined);
    sent.on('close', () => resolve());
    sent.end('{}');
  });
}

test('without the guard, the tricks do reach this machine', async () => {
  // Those that stay on this machine whatever its network; the others are not connected to.
  const local = hosts.filter((host) =>
    new URL(`http://${host}/`).hostname.match(/^(127\.|0\.0|localhost|\[::)/),
  );
  const before = listener.connections();
  for (const host of local) await reached(`http://${host}:${listener.port}/`);
  expect(listener.connections() - before).toBeGreaterThan(20);
});

describe('a server with addresses chosen by games', () => {
  test(`reaches this machine by none of ${hosts.length} notations`, async () => {
    await using server = await startTestServer();
    const { db } = server.services;
    const before = listener.connections();
    const urls = hosts.map((host) => `http://${host}:${listener.port}/hooks`);
    const stored: string[] = [];
    for (let at = 0; at < urls.length; at += 20) {
      const { gameId } = await server.createGame();
      for (const url of urls.slice(at, at + 20)) {
        // Bypasses the checks of the operation.
        const webhook = { gameId, filter: 'all' as const, sealedSecret: server.box.seal(newWebhookSecret()) };
        stored.push((await db.write(addWebhook, { ...webhook, url: new URL(url).href })).webhookId);
      }
      await db.write(setScore, { gameId, wallet: `0x${'1'.repeat(40)}` }, 1);
    }
    const all = await until('every delivery was tried', async () => {
      const { total, rows } = await db.read(readDeliveries, {}, { limit: 250, skip: 0 });
      return total === stored.length && rows.every(({ error }) => error !== null) && rows;
    });
    expect(new Set(all.map(({ error }) => error?.replace(/^.+ is/, '… is')))).toEqual(
      new Set(['… is not a public address']),
    );
    expect(listener.connections() - before).toBe(0);
  });

  test('refuses immediately when a webhook is created or changed, for every host that needs no lookup', async () => {
    await using server = await startTestServer();
    const admin = overHttp(server);
    const { gameId } = await server.createGame();
    for (const host of hosts) {
      const url = `http://${host}:${listener.port}/hooks`;
      await expect(admin.call(createWebhook, { gameId, url }), host).rejects.toThrow(
        'is not a public address',
      );
    }
    const { webhook } = await admin.call(createWebhook, {
      gameId,
      url: 'https://game.example/hooks',
      filter: 'rules-engine-errors',
    });
    const change = { webhookId: webhook.webhookId, url: 'http://[::1]/' };
    await expect(admin.call(updateWebhook, change)).rejects.toThrow('::1 is not a public address');
  });

  test.each([
    'ftp://game.example/',
    'file:///etc/passwd',
    'gopher://game.example/',
    'ws://game.example/',
    'javascript:alert(1)',
    '//game.example/',
    'game.example/hooks',
    'http:game.example',
    'https://user:secret@game.example/',
    'https://user@game.example/',
    'https://game.example@127.0.0.1/',
    'https://game.example/#part',
    'http://[::1/',
    'http://256.256.256.256/',
    'http://a b.example/',
    '',
    `https://game.example/${'a'.repeat(2_000)}`,
  ])('does not accept %s as an address', async (url) => {
    await using server = await startTestServer();
    const { gameId } = await server.createGame();
    await expect(overHttp(server).call(createWebhook, { gameId, url })).rejects.toThrow(/^url: /);
  });
});

describe('a name', () => {
  let lookups = 0;
  const resolve: Resolve = (name, _options, done) => {
    lookups++;
    const addresses = names[name] ?? [];
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };

  test.each(Object.entries(names))('%s that resolves to %j is not connected to', async (name) => {
    const before = listener.connections();
    const sender = new HttpWebhookSender({ guard: new AddressGuard({ resolve }) });
    for (const scheme of ['http', 'https']) {
      const answer = await sender.send({ ...message, url: `${scheme}://${name}:${listener.port}/` });
      expect(answer).toMatchObject({ delivered: false, error: `${name} is not a public address` });
    }
    expect(listener.connections() - before).toBe(0);
  });

  test('is resolved once per connection, so that no second answer can redirect it', async () => {
    lookups = 0;
    const sender = new HttpWebhookSender({ guard: new AddressGuard({ allowLoopback: true, resolve }) });
    const before = listener.connections();
    const answer = await sender.send({ ...message, url: `http://loopback.example:${listener.port}/` });
    expect(answer).toEqual({ delivered: true, status: 200 });
    expect([lookups, listener.connections() - before]).toEqual([1, 1]);
  });

  test('that changes from an allowed to a forbidden address between two sends is refused the second time', async () => {
    let answers = ['127.0.0.1'];
    const rebinding: Resolve = (_name, _options, done) => {
      done(
        null,
        answers.map((address) => ({ address, family: 4 })),
      );
    };
    const sender = new HttpWebhookSender({
      guard: new AddressGuard({ allowLoopback: true, resolve: rebinding }),
    });
    const url = `http://rebinding.example:${listener.port}/`;
    expect(await sender.send({ ...message, url })).toMatchObject({ delivered: true });
    answers = ['10.0.0.1'];
    expect(await sender.send({ ...message, url })).toMatchObject({
      delivered: false,
      error: 'rebinding.example is not a public address',
    });
  });

  test('with one public address is called there, never at the others', () => {
    expect.assertions(3);
    const mixed: Resolve = (_name, _options, done) => {
      done(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '93.184.216.34', family: 4 },
        { address: '2606:2800:220:1::1', family: 6 },
        { address: '::1', family: 6 },
      ]);
    };
    const guard = new AddressGuard({ resolve: mixed });
    guard.lookup('mixed.example', { all: true }, (error, addresses) => {
      expect(error).toBeNull();
      expect(addresses).toEqual([
        { address: '93.184.216.34', family: 4 },
        { address: '2606:2800:220:1::1', family: 6 },
      ]);
    });
    guard.lookup('mixed.example', {}, (_error, address, family) => {
      expect([address, family]).toEqual(['93.184.216.34', 4]);
    });
  });
});

test('with loopback allowed for development, private networks stay unreachable', () => {
  const guard = new AddressGuard({ allowLoopback: true });
  expect(['127.0.0.1', '127.9.9.9', '::1'].every((address) => guard.isAllowed(address))).toBe(true);
  for (const address of ['10.0.0.1', '169.254.169.254', 'fd00::1', '::ffff:127.0.0.1', '0.0.0.0', '::'])
    expect([address, guard.isAllowed(address)]).toEqual([address, false]);
});

describe("a receiver's response", () => {
  const sender = new HttpWebhookSender({
    guard: new AddressGuard({ allowLoopback: true }),
    timeoutMs: 1_000,
  });

  test.each([300, 301, 302, 303, 305, 307, 308])('with a redirect, %i, is not followed', async (status) => {
    await using receiver = await startWebhookReceiver();
    const before = listener.connections();
    receiver.answer = (_request, response) =>
      response.writeHead(status, { Location: `http://127.0.0.1:${listener.port}/` }).end();
    expect(await sender.send({ ...message, url: receiver.url })).toMatchObject({
      delivered: false,
      status,
      error: `responded with ${status} (redirects are not followed)`,
    });
    expect(listener.connections() - before).toBe(0);
  });

  test.each([
    [200, 'Refresh'],
    [201, 'Location'],
    [204, 'Alt-Svc'],
  ])('with %i and %s is not followed either', async (status, header) => {
    await using receiver = await startWebhookReceiver();
    const before = listener.connections();
    receiver.answer = (_request, response) =>
      response.writeHead(status, { [header]: `0; url=http://127.0.0.1:${listener.port}/` }).end();
    expect(await sender.send({ ...message, url: receiver.url })).toEqual({ delivered: true, status });
    expect(listener.connections() - before).toBe(0);
  });

  test('without an end is aborted, and its status counts', async () => {
    await using receiver = await startWebhookReceiver();
    let written = 0;
    let cut = false;
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      response.on('close', () => {
        cut = true;
      });
      const more = () => {
        while (!cut && response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
      };
      response.on('drain', more);
      more();
    };
    expect(await sender.send({ ...message, url: receiver.url })).toEqual({ delivered: true, status: 200 });
    await until('cut off', () => cut);
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test.each<[string, string, object]>([
    ['left open', 'HTTP/1.1 200 OK\r\n\r\nok', { delivered: true, status: 200 }],
    ['never sent', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', { delivered: true, status: 200 }],
    ['cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', { delivered: true, status: 200 }],
    [
      'garbled',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nok\r\n',
      { delivered: true, status: 200 },
    ],
    ['left open, of a failure', 'HTTP/1.1 503 Busy\r\n\r\nno', { delivered: false, status: 503 }],
  ])('whose body is %s counts by its status, and is closed', async (how, head, answer) => {
    let open = 0;
    const server = createTcpServer((socket) => {
      open++;
      socket.on('error', () => undefined);
      socket.on('close', () => open--);
      socket.once('data', () => {
        socket.write(head);
        if (how === 'cut off') socket.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const patient = new HttpWebhookSender({
      guard: new AddressGuard({ allowLoopback: true }),
      timeoutMs: 60_000,
    });
    expect(await patient.send({ ...message, url: `http://127.0.0.1:${port}/` })).toMatchObject(answer);
    await until('closed', () => open === 0);
    server.close();
  });

  test('over TLS with an untrusted certificate is a failure with a clear error', async () => {
    await using directory = await temporaryDirectory();
    const [key, cert] = [join(directory.path, 'key.pem'), join(directory.path, 'cert.pem')];
    const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ');
    execFileSync('openssl', ['req', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    let requests = 0;
    const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      requests++;
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await sender.send({ ...message, url: `https://localhost:${port}/` });
    expect(answer).toMatchObject({ delivered: false, status: null });
    expect(Object(answer).error).toMatch(/self-signed certificate/);
    expect(requests).toBe(0);
    server.close();
  });

  test.each<[string, string]>([
    ['never', 'no response within 1 s'],
    ['drop by drop', 'no response within 1 s'],
    ['by closing the connection', 'socket hang up'],
    ['with invalid HTTP', 'Parse Error'],
    ['with endless headers', 'Parse Error'],
    ['by switching protocols', 'closed without a response'],
  ])('%s is a failure with a clear error: %s', async (how, error) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        if (how === 'by closing the connection') socket.destroy();
        if (how === 'with invalid HTTP') socket.end('SSH-2.0-OpenSSH_9.9\r\n');
        if (how === 'with endless headers') socket.write(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(100_000)}`);
        if (how === 'drop by drop') {
          socket.write('HTTP/1.1 200 OK\r\n');
          const timer = setInterval(() => socket.write('a'), 100);
          socket.on('close', () => clearInterval(timer));
        }
        if (how === 'by switching protocols')
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await sender.send({ ...message, url: `http://127.0.0.1:${port}/` });
    expect(answer).toMatchObject({ delivered: false, status: null });
    expect(Object(answer).error).toContain(error);
    server.close();
  });
});
