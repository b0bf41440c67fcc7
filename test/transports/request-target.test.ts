import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { originForm } from '../../src/transports/http/request-target.ts';
import { exchange } from '../support/raw-http.ts';
import { wholeSigned } from '../support/request-signatures.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test.each([
  ['/launcher?a=//b', '/launcher?a=//b'],
  ['http://gantry.example/launcher?a', '/launcher?a'],
  ['HTTPS://user:password@[::1]:3000/launcher', '/launcher'],
  ['http://gantry.example', '/'],
  ['http://gantry.example?a=1', '/?a=1'],
  ['http://gantry.example//launcher', '/launcher'],
  ['//launcher/get-games', '/launcher/get-games'],
  ['///', '/'],
  ['//', '/'],
  ['*', '*'],
])('the target %s is %s', (target, expected) => {
  expect(originForm(target)).toBe(expected);
});

/** POSTs to exactly this target, which `fetch` would normalize. */
async function post(target: string, body: string, headers: Record<string, string> = {}) {
  const { port } = new URL(server.url);
  const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: target, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
}

test.each(['http://gantry.example', 'https://another.example:8443/', '/', '//'])(
  'an operation is called at a target that begins with %s',
  async (start) => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const score = await post(`${start}/launcher/set-user-score`, JSON.stringify({ launcherJwt, score: 7 }));
    expect(score).toMatchObject({ status: 200, body: { success: true } });
    const other = await post(`${start}/g/${gameId}/launcher/get-user-score`, '{}');
    expect(other).toMatchObject({ status: 401, body: { data: { reason: 'token_missing' } } });
  },
);

test.each(['http://gantry.example/admin', '//admin', '///admin'])(
  'administrators alone call operations below %s, and no page of another origin reads the answer',
  async (start) => {
    const origin = { Origin: 'https://elsewhere.example' };
    const refused = await post(`${start}/list-games`, '{}', origin);
    expect(refused).toMatchObject({ status: 401, body: { data: { reason: 'admin_token_invalid' } } });
    const preflight = [
      `OPTIONS ${start}/list-games HTTP/1.1`,
      'Host: a',
      'Origin: https://elsewhere.example',
      'Access-Control-Request-Method: POST',
    ];
    const { received } = await exchange(server, [`${preflight.join('\r\n')}\r\n\r\n`], { answers: 1 });
    expect(received).not.toMatch(/Access-Control-Allow-Origin/i);
    const allowed = await post(`${start}/list-games`, '{}', { Authorization: `Bearer ${server.adminToken}` });
    expect(allowed.status).toBe(200);
  },
);

test('a signature covers the path without scheme, host and repeated slashes', async () => {
  const { gameId, gameSecret } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  const body = JSON.stringify({ launcherJwt });
  const path = '/launcher/get-user-score';
  for (const target of [`http://gantry.example${path}`, `/${path}`]) {
    expect((await post(target, body, wholeSigned(gameSecret, { path, body }))).status).toBe(200);
    const signed = wholeSigned(gameSecret, { path: '/launcher/get-user-scores', body });
    expect((await post(target, body, signed)).body).toMatchObject({ data: { reason: 'signature_invalid' } });
  }
});

test('long polling and WebSockets open at an absolute target too', async () => {
  const target = 'http://gantry.example//socket.io/?EIO=4&transport=';
  const polling = await exchange(server, [`GET ${target}polling HTTP/1.1\r\nHost: a\r\n\r\n`], {
    answers: 1,
  });
  expect(polling.statuses).toEqual([200]);
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  const opened = await exchange(server, [`GET ${target}websocket HTTP/1.1\r\nHost: a\r\n${upgrade}`], {
    answers: 1,
  });
  expect(opened.statuses).toEqual([101]);
});
