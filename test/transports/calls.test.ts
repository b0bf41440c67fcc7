import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CallObserver } from '../../src/observability/call-observer.ts';
import { operationCalls } from '../../src/transports/http/calls.ts';
import { get } from '../support/http.ts';
import { registry } from '../support/registered.ts';
import { until } from '../support/until.ts';

test('a call that was answered but cannot be counted or logged is reported, and ends nothing', async () => {
  const defect = new Error('the log is gone');
  const logger = pino({}, { write: () => raise(defect) });
  const reported: unknown[] = [];
  const handle = operationCalls({
    registry,
    execute: () => raise(new Error('nothing is carried out here')),
    observer: new CallObserver(logger),
    addressOf: () => '127.0.0.1',
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

function raise(error: Error): never {
  throw error;
}
