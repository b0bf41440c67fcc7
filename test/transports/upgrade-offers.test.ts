import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange } from '../support/raw-http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const http2 = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const openSocket = '/socket.io/?EIO=4&transport=websocket';

const head = (method: string, path: string, headers: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
const health = head('GET', '/healthz', http2);
const post = `${head('POST', '/launcher/get-user-score', [...http2, 'Content-Length: 2'])}{}`;
const chunked = `${head('POST', '/launcher/get-user-score', [...http2, 'Transfer-Encoding: chunked'])}2\r\n{}\r\n0\r\n\r\n`;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe('an offer to upgrade that is not taken is ignored', () => {
  test.each([
    ['HTTP/2', http2],
    ['TLS', ['Connection: Upgrade', 'Upgrade: TLS/1.0']],
    ['several protocols', ['Connection: keep-alive, Upgrade', 'Upgrade: h2c, websocket']],
    ['a WebSocket where there is none', webSocket],
  ])('%s: the request is answered, and its connection stays open', async (_what, headers) => {
    const { statuses, closedAfterMs } = await exchange(
      server,
      [head('GET', '/healthz', headers), 50, head('GET', '/healthz', headers)],
      { answers: 2 },
    );
    expect({ statuses, closedAfterMs }).toEqual({ statuses: [200, 200], closedAfterMs: null });
  });

  test.each([
    ['with a body', [post], [401]],
    ['with a chunked body', [chunked], [401]],
    ['with a body in parts', [post.slice(0, -1), 50, post.slice(-1)], [401]],
    [
      'that waits for 100 Continue',
      [post.replace('\r\n\r\n{}', '\r\nExpect: 100-continue\r\n\r\n'), 50, '{}'],
      [401],
    ],
    ['before others that arrive with it', [health + post + chunked + health], [200, 401, 401, 200]],
    ['behind one without an offer', [`${head('GET', '/healthz', [])}${post}${health}`], [200, 401, 200]],
    [
      'before others, cut anywhere',
      [(health + post).slice(0, -40), 50, (health + post).slice(-40)],
      [200, 401],
    ],
  ])('a request %s is answered', async (_what, steps, expected) => {
    const { statuses } = await exchange(server, steps, { answers: expected.length });
    expect(statuses).toEqual(expected);
  });

  test('a WebSocket is opened behind such a request', async () => {
    const steps = [health + head('GET', openSocket, webSocket)];
    const { statuses } = await exchange(server, steps, { answers: 2 });
    expect(statuses).toEqual([200, 101]);
  });

  test('curl, which offers HTTP/2, is answered at once', async () => {
    const run = promisify(execFile);
    const curl = ['-s', '--max-time', '10', '--http2', '-w', ' %{http_code}'];
    const { stdout } = await run('curl', [...curl, '-d', '{}', `${server.url}/launcher/get-user-score`]);
    expect(stdout).toMatch(/"reason":"token_missing".* 401$/);
  });
});

test('a handshake with a body opens no WebSocket: it is answered as a request', async () => {
  const { statuses } = await exchange(
    server,
    [head('GET', openSocket, [...webSocket, 'Content-Length: 2']), '{}'],
    { answers: 1 },
  );
  expect(statuses).toEqual([400]);
});
