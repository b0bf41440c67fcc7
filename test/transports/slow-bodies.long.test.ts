import { request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { exchange } from '../support/raw-http.ts';
import { startTestServer } from '../support/server.ts';

describe.concurrent('a client on a slow connection', () => {
  test('stores a state of 800 KB at 20 KB a second', async () => {
    await using server = await startTestServer();
    const { launcherJwt } = await server.openSession((await server.createGame()).gameId);
    const state = JSON.stringify('a'.repeat(800_000));
    const body = Buffer.from(JSON.stringify({ launcherJwt, label: 'one', state }));
    const { port } = new URL(server.url);
    const path = '/launcher/set-state';
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path, method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      void (async () => {
        for (let at = 0; at < body.length; at += 5_000) {
          sent.write(body.subarray(at, at + 5_000));
          await setTimeout(250);
        }
        sent.end();
      })();
    });
    expect(status).toBe(200);
  });

  test.each([
    ['Content-Length: 1000', ['{', ' ']],
    ['Transfer-Encoding: chunked', ['1\r\n{\r\n', '1\r\n \r\n']],
  ])('is told, in a response that pages can read, that its body was too slow (%s)', async (length, parts) => {
    await using server = await startTestServer();
    const head = `POST /launcher/set-user-score HTTP/1.1\r\nHost: a\r\nOrigin: https://game.example\r\n${length}\r\n\r\n`;
    const steps = [head, parts[0] ?? '', ...Array.from({ length: 20 }, () => [1_000, parts[1] ?? '']).flat()];
    const { received, closedAfterMs } = await exchange(server, steps, { withinMs: 25_000 });
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(received).toContain('\r\nAccess-Control-Allow-Origin: https://game.example\r\n');
    expect(received).toMatch(/\r\nX-Request-Id: .*"reason":"body_too_slow"/s);
    expect(closedAfterMs).not.toBeNull();
  });

  test('is told so by long polling too', async () => {
    await using server = await startTestServer();
    const polling = '/socket.io/?EIO=4&transport=polling';
    const opened = await fetch(server.url + polling);
    const path = `${polling}&sid=${JSON.parse((await opened.text()).slice(1)).sid}`;
    await fetch(server.url + path, { method: 'POST', body: '40' });
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n4`;
    const { received, closedAfterMs } = await exchange(server, [head], { withinMs: 25_000 });
    expect(received).toMatch(/^HTTP\/1\.1 408 .*"reason":"body_too_slow"/s);
    expect(closedAfterMs).not.toBeNull();
  });
});
