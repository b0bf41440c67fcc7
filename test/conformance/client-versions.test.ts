import { afterAll, afterEach, describe, expect, it, test } from 'vitest';
import { checkClientVersion, supportedClients } from '../../src/calls/auth/client-version.ts';
import { version } from '../../src/core/version.ts';
import { GantryClient } from '../../src/sdk/client/client.ts';
import type { Status } from '../../src/sdk/client/client-status.ts';
import { apiOf } from '../support/api.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const { launcherJwt } = await server.openSession(gameId);

const { ...asReleased } = supportedClients;
afterEach(() => void Object.assign(supportedClients, asReleased));

const header = (sent: string) => ({ 'X-Gantry-Version': sent });

describe('a client that is too old', () => {
  it('is refused over HTTP with one reason, whatever it calls', async () => {
    for (const path of ['/launcher/get-user-score', '/launcher/create-guest']) {
      const answer = await api.post(path, { launcherJwt, gameId }, header('0.0.9'));
      expect([answer.status, answer.body]).toMatchObject([
        403,
        {
          data: { reason: 'client_too_old' },
          message: expect.stringMatching(/needs 0\.1\.0 or newer: update the SDK$/),
        },
      ]);
    }
  });

  it('is refused in the handshake of a socket, and does not connect again', async () => {
    Object.assign(supportedClients, { oldest: '99.0.0' });
    using client = connect();
    expect(await settled(client)).toMatchObject({ state: 'refused', reason: 'client_too_old' });
  });
});

it.each(['0.1.0', '0.1', '0.1.0-rc.1', '1.0.0', '7', 'from source', ''])(
  'a client of version "%s" is served',
  async (sent) => {
    expect(await api.post('/launcher/get-user-score', { launcherJwt }, header(sent))).toMatchObject({
      status: 200,
    });
  },
);

it('a client that the next version of the server refuses is told so, and is served', async () => {
  Object.assign(supportedClients, { oldestNext: '99.0.0' });
  const text = `The next version of the server needs version 99.0.0 of Gantry's SDK or newer, and this is ${version}: update the SDK`;
  const answer = await api.post('/launcher/get-user-score', { launcherJwt }, header(version));
  expect([answer.status, answer.headers.get('gantry-warning')]).toEqual([200, text]);
  using client = connect();
  expect(await settled(client)).toMatchObject({ state: 'live', warning: text });
  Object.assign(supportedClients, asReleased);
  using current = connect();
  expect(await settled(current)).toEqual({ state: 'live', replayed: 0 });
});

test('every response has the version of the server, also for pages of other origins', async () => {
  const paths = [
    '/healthz',
    '/openapi.json',
    '/nothing',
    '/launcher/nothing',
    '/socket.io/?EIO=4&transport=polling',
    '/client.js',
  ];
  for (const path of paths) {
    const { headers } = await fetch(`${server.url}${path}`, { headers: { Origin: 'https://game.example' } });
    expect([path, headers.get('x-gantry-version')]).toEqual([path, version]);
  }
  const { headers } = await fetch(`${server.url}/launcher/get-games`, {
    method: 'POST',
    headers: { Origin: 'https://game.example' },
  });
  expect(headers.get('access-control-expose-headers')).toContain('X-Gantry-Version');
});

test('this version of the SDKs is neither refused nor warned', () => {
  expect(checkClientVersion(version)).toBe(null);
});

function connect(): GantryClient & Disposable {
  const client = new GantryClient({ url: server.url, launcherJwt, callOver: 'socket' });
  return Object.assign(client, { [Symbol.dispose]: () => client.close() });
}

async function settled(client: GantryClient): Promise<Status> {
  await until('the client is connected or refused', () => client.status.state !== 'connecting');
  return client.status;
}
