import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { feathers, type TransportConnection } from '@feathersjs/feathers';
import rest from '@feathersjs/rest-client';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { repository } from '../support/gantry-process.ts';
import { openRawWebSocket, text } from '../support/raw-websocket.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { createWorld, type World } from '../support/world.ts';

/** Third-party clients, unmodified. */

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startTestServer();
  world = await createWorld(server);
});
afterAll(() => server.close());

/** Debian's, which its packages are for; another one may come first in PATH. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const noPython = (() => {
  try {
    execFileSync(python, ['-c', 'import socketio, requests, websocket'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'no python-socketio here: apt-get install python3-socketio python3-requests python3-websocket';
  }
})();
if (noPython !== null) process.stderr.write(`The tests with python-socketio are skipped: ${noPython}\n`);

describe.skipIf(noPython !== null).each(['websocket', 'polling'])('python-socketio by %s', (transport) => {
  test.each([
    ['at the server’s address', () => server.url],
    ['at the game’s address', () => `${server.url}/g/${world.gameSlug}`],
  ])('calls and receives events, %s', async (_, address) => {
    const { launcherJwt } = await server.openSession(world.gameId);
    const script = `${repository}/test/compat/plain_client.py`;
    const { stdout } = await promisify(execFile)(python, [script, address(), transport, launcherJwt, '41.5']);
    expect(JSON.parse(stdout)).toMatchObject({
      answers: {
        'feathers form': { error: null, result: { success: true, newScore: { score: 41.5 } } },
        refused: { error: { data: { reason: 'score_not_finite', error: 'score: must be a finite number' } } },
        states: { error: null, result: { success: true, states: [] } },
      },
      'one payload': [null, { success: true, score: { score: 41.5 } }],
      received: [41.5],
    });
  });
});

describe.each(['websocket', 'polling'])('socket.io-client by %s', (transport) => {
  test('calls with three arguments, with four and with one, and receives events', async () => {
    const { launcherJwt } = world.owner;
    const socket = io(server.url, { transports: [transport], auth: { launcherJwt }, forceNew: true });
    const call = (...args: unknown[]) =>
      new Promise<unknown>((resolve) => {
        const [method, ...others] = args;
        socket.emit(String(method), ...others, (error: unknown, result: unknown) => resolve(error ?? result));
      });
    const received: unknown[] = [];
    socket.on('notifications created', ({ message }) => received.push(message));
    expect(await call('channelHeartbeat', 'launcher', {})).toEqual({ success: true });
    expect(await call('channelHeartbeat', 'launcher', {}, {})).toEqual({ success: true });
    expect(await call('channelHeartbeat', {})).toEqual({ success: true });
    const message = crypto.randomUUID();
    await server.services.db.write(notifyPlayer, world.owner, { message, type: 'success' });
    await until('the notification', () => received.includes(message));
    socket.disconnect();
  });
});

describe('@feathersjs/rest-client', () => {
  test.each([
    ['in the query of each call', () => server.url, () => ({ query: { gameId: world.gameSlug } })],
    ['by its base address', () => `${server.url}/g/${world.gameId}`, () => ({})],
  ])('names its game %s', async (_, address, params) => {
    type Methods = Record<string, (data: unknown, params?: unknown) => Promise<unknown>>;
    const app = feathers<Record<string, Methods>>();
    const connection: TransportConnection<Record<string, Methods>> = rest.default(address()).fetch(fetch);
    app.configure(connection);
    app.use('launcher', connection.service('launcher'), {
      methods: ['createUnverifiedChannel', 'channelStatus'],
    });
    const launcher = app.service('launcher');
    const wallet = world.keys.owner.address;
    expect(await launcher.createUnverifiedChannel?.({ wallet }, params())).toMatchObject({ success: true });
    const { launcherJwt } = world.elsewhere;
    await expect(launcher.channelStatus?.({ launcherJwt }, params())).rejects.toMatchObject({
      name: 'NotAuthenticated',
      data: { reason: 'game_mismatch', success: false, error: expect.any(String) },
    });
  });
});

describe('frames of Engine.IO 4, written by hand', () => {
  test('over WebSocket: a connect, a call with one payload, and a call in Feathers’ form', async () => {
    using socket = await openRawWebSocket(server);
    const { launcherJwt } = world.owner;
    socket.send(text(`40${JSON.stringify({ launcherJwt })}`));
    await until('it is connected', () => socket.texts.some((frame) => frame.startsWith('40{"sid"')));
    socket.send(text('420["setUserScore",{"score":7}]'));
    await until('the answer', () =>
      socket.texts.find((frame) => frame.startsWith('430[null,{"success":true')),
    );
    socket.send(text('421["channelHeartbeat","launcher",{},{}]'));
    await until('the answer', () => socket.texts.includes('431[null,{"success":true}]'));
  });

  test('over WebSocket, in the namespace of the game, in both directions', async () => {
    using socket = await openRawWebSocket(server);
    const { launcherJwt } = world.owner;
    const namespace = `/g/${world.gameSlug},`;
    socket.send(text(`40${namespace}${JSON.stringify({ launcherJwt })}`));
    await until('it is connected', () =>
      socket.texts.some((frame) => frame.startsWith(`40${namespace}{"sid"`)),
    );
    socket.send(text(`42${namespace}0["channelHeartbeat",{}]`));
    await until('the answer', () => socket.texts.includes(`43${namespace}0[null,{"success":true}]`));
    const message = crypto.randomUUID();
    await server.services.db.write(notifyPlayer, world.owner, { message, type: 'success' });
    const event = await until('the event', () => socket.texts.find((frame) => frame.includes(message)));
    expect(event.startsWith(`42${namespace}["notifications created",{`)).toBe(true);
  });

  test('by long polling', async () => {
    const address = `${server.url}/socket.io/?EIO=4&transport=polling`;
    const opened = await (await fetch(address)).text();
    const { sid } = JSON.parse(opened.slice(1));
    const send = async (packet: string) =>
      (await fetch(`${address}&sid=${sid}`, { method: 'POST', body: packet })).text();
    const received: string[] = [];
    const poll = async () => {
      received.push(...(await (await fetch(`${address}&sid=${sid}`)).text()).split('\u{1e}'));
    };
    expect(await send('40')).toBe('ok');
    await poll();
    expect(received.at(-1)).toMatch(/^40\{"sid"/);
    const data = JSON.stringify({ launcherJwt: world.owner.launcherJwt });
    expect(await send(`420["channelHeartbeat",${data}]`)).toBe('ok');
    await poll();
    expect(received).toContain('430[null,{"success":true}]');
    await send('1');
  });
});
