import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Traffic } from '../../src/calls/limits/traffic.ts';
import { CallObserver } from '../../src/telemetry/call-observer.ts';
import { operationCalls } from '../../src/transports/http/calls.ts';
import { get } from '../support/http.ts';
import { registry } from '../support/registered.ts';
import { until } from '../support/until.ts';

test('an answered call that cannot be counted or logged is reported, and crashes nothing', async () => {
  const defect = new Error('the log is gone');
  const reported: unknown[] = [];
  const handle = operationCalls({
    registry,
    execute: () => raise(new Error('nothing is carried out here')),
    observer: new CallObserver(() => raise(defect)),
    addressOf: () => '127.0.0.1',
    traffic: new Traffic({ factor: 1, heldBytes: 1024 * 1024 }),
    readLarge: () => Promise.resolve({}),
    onDeprecated: () => undefined,
    requireAdmin: () => Promise.resolve(),
    report: (thrown, callId) => reported.push({ thrown, callId }),
  });
  await using server = createServer((request, response) =>
    handle(request, response, () => response.destroy()),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const { status, headers } = await get(`http://127.0.0.1:${port}/launcher/nothing`);
  expect(status).toBe(404);
  await until('it is reported', () => reported.length > 0);
  expect(reported).toEqual([{ thrown: defect, callId: headers.get('x-request-id') }]);
});

test('an unreadable body is charged like any other: the next call of its address waits', async () => {
  const handle = operationCalls({
    registry,
    execute: () => raise(new Error('nothing is carried out here')),
    observer: new CallObserver(),
    addressOf: () => '127.0.0.1',
    traffic: new Traffic({ factor: 0.000_01, heldBytes: 1024 * 1024 }),
    readLarge: () => Promise.resolve({}),
    onDeprecated: () => undefined,
    requireAdmin: () => Promise.resolve(),
    report: () => undefined,
  });
  await using server = createServer((request, response) =>
    handle(request, response, () => response.destroy()),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const send = () =>
    fetch(`http://127.0.0.1:${port}/launcher/set-user-score`, { method: 'POST', body: '?'.repeat(10_000) });
  expect((await send()).status).toBe(400);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

test('the reservation for a caller who disconnects before its large response is made is released', async () => {
  const traffic = new Traffic({ factor: 1, heldBytes: 1024 * 1024 });
  const answered = Promise.withResolvers<void>();
  const ended: string[] = [];
  const handle = operationCalls({
    registry,
    execute: async () => {
      await answered.promise;
      return { text: 'x'.repeat(300_000) };
    },
    observer: new CallObserver(({ outcome }) => ended.push(outcome)),
    addressOf: () => '127.0.0.1',
    traffic,
    readLarge: () => Promise.resolve({}),
    onDeprecated: () => undefined,
    requireAdmin: () => Promise.resolve(),
    report: () => undefined,
  });
  const closed = Promise.withResolvers<void>();
  await using server = createServer((request, response) => {
    response.once('close', closed.resolve);
    handle(request, response, () => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const leaving = new AbortController();
  const sent = fetch(`http://127.0.0.1:${port}/launcher/set-user-score`, {
    method: 'POST',
    body: `{${' '.repeat(20_000)}}`, // is counted while it is received
    signal: leaving.signal,
  });
  await until('its body is held', () => traffic.heldBytes > 0);
  leaving.abort();
  await expect(sent).rejects.toThrow();
  await closed.promise;
  expect(traffic.heldBytes).toBe(0);
  answered.resolve();
  await until('it has ended', () => ended.length > 0);
  expect(traffic.heldBytes).toBe(0);
});

function raise(error: Error): never {
  throw error;
}
