import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { listRefusals } from '../../src/features/administration/operations/logs.ts';
import { overHttp } from '../support/administration.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The part of Socket.IO 2's client that is used; it has no types. */
type Connect = (
  url: string,
  options: object,
) => { on(event: string, listener: (value: unknown) => void): void; close(): void };
const connect: Connect = createRequire(import.meta.url)('socket.io-client-2');

test.each([
  ['as by default', undefined],
  ['by long polling', ['polling']],
  ['over a WebSocket', ['websocket']],
])('a client of Socket.IO 2 is told that it is too old when it connects %s', async (_how, transports) => {
  await using server = await startTestServer();
  const received: [string, unknown][] = [];
  const socket = connect(server.url, { forceNew: true, reconnection: false, transports });
  for (const event of ['connect', 'error', 'connect_error', 'disconnect']) {
    socket.on(event, (value) => received.push([event, value]));
  }
  await until('it is disconnected', () => received.some(([event]) => event === 'disconnect'));
  expect(received).toEqual([
    ['error', expect.objectContaining({ message: expect.stringContaining('update to Socket.IO 4') })],
    ['disconnect', 'transport close'],
  ]);
  socket.close();
  const { data } = await overHttp(server).call(listRefusals, { reason: 'input_invalid' });
  expect(data).toMatchObject([{ at: 'connection', count: 1 }]);
});
