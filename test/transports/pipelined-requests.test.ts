import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listRefusals } from '../../src/features/administration/operations/logs.ts';
import { listenOn } from '../../src/transports/http/http-server.ts';
import { InFlightRequests, maxRequestsInFlight } from '../../src/transports/http/in-flight-requests.ts';
import { overHttp } from '../support/administration.ts';
import { exchange } from '../support/raw-http.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const get = (path: string, ...headers: string[]) =>
  ['GET ', path, ' HTTP/1.1\r\nHost: a\r\n', ...headers.map((one) => `${one}\r\n`), '\r\n'].join('');
const call = 'POST /launcher/no-such-method HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

/** A server whose requests stay unanswered until `answer`, and one connection to it. */
async function connectToSlow(onFlood: () => void = () => undefined) {
  const http = createServer();
  const begun: { url: string; answer(): void }[] = [];
  http.on('request', (request, response) => {
    begun.push({ url: request.url ?? '', answer: () => response.end() });
  });
  const requests = new InFlightRequests(http, onFlood);
  const port = Number(new URL(await listenOn(http, 0, '127.0.0.1')).port);
  const sockets: Socket[] = [];
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.resume().on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  return {
    begun,
    requests,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

test('requests sent together on one connection are begun one after another and answered in order', async () => {
  await using slow = await connectToSlow();
  const [first, second] = [await slow.open(), await slow.open()];
  first.write(['/1', '/2', '/3'].map((path) => get(path)).join(''));
  await until('begun', () => slow.begun.length === 1);
  second.write(get('/other')); // does not wait for the first connection's
  await until('begun', () => slow.begun.length === 2);
  slow.begun[0]?.answer();
  await until('begun', () => slow.begun.length === 3);
  slow.begun[2]?.answer();
  await until('begun', () => slow.begun.length === 4);
  expect(slow.begun.map(({ url }) => url)).toEqual(['/1', '/other', '/2', '/3']);
});

test('a client that leaves while its requests wait leaves none in flight', async () => {
  await using slow = await connectToSlow();
  const socket = await slow.open();
  socket.write(get('/', 'Expect: miracles') + get('/').repeat(5));
  await until('begun', () => slow.begun.length === 1);
  socket.destroy();
  await slow.requests.finished(60_000);
  expect(slow.begun).toHaveLength(1);
});

test('a connection stays open for one request after another, whatever they are answered', async () => {
  let floods = 0;
  await using slow = await connectToSlow(() => floods++);
  const socket = await slow.open();
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  for (let at = 1; at <= 3 * maxRequestsInFlight; at++) {
    socket.write(get('/', 'Expect: miracles'));
    await until('answered', () => received.split('HTTP/1.1 417').length === at + 1);
  }
  expect(floods).toBe(0);
});

test.each([
  ['a page', get('/'), 200],
  ['an unknown path', get('/no/such/path'), 404],
  ['an unknown operation', call, 404],
  ['the health', get('/healthz'), 200],
  ['long polling', get('/socket.io/?EIO=4&transport=polling'), 200],
])(
  'of very many requests at once for %s, the first are answered and the connection is closed',
  async (_what, request, status) => {
    await using server = await startTestServer();
    const { statuses, received, closedAfterMs } = await exchange(server, [request.repeat(700)]);
    // One more when the first was answered while the others were parsed.
    expect(statuses.length - maxRequestsInFlight).toBeOneOf([1, 2]);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([status]));
    expect(statuses.at(-1)).toBe(429);
    expect(closedAfterMs).not.toBeNull();
    const refused = received.slice(received.lastIndexOf('HTTP/1.1 429'));
    expect(refused).toMatch(/\r\nConnection: close\r\n/i);
    expect(refused).toContain('"reason":"rate_limited"');
    const admin = overHttp(server);
    expect((await admin.call(listRefusals, { reason: 'flood' })).data).toMatchObject([
      { at: 'connection', count: 1 },
    ]);
  },
);

test('requests are not parsed beyond those that are answered, although they arrived in one piece', async () => {
  const http = createServer();
  let parsed = 0;
  http.on('request', (_request: IncomingMessage, response) => response.end());
  const requests = new InFlightRequests(http, () => undefined);
  http.prependListener('request', () => parsed++);
  const url = await listenOn(http, 0, '127.0.0.1');
  await exchange({ url }, [get('/').repeat(1_000)]);
  expect(parsed).toBe(maxRequestsInFlight + 1);
  await requests.finished(1_000);
  http.close();
});
