import { io } from 'socket.io-client';
import { afterAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { createGame } from '../../src/features/games/operations/games.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { accepted, refused } from '../support/outcome.ts';
import { randomWallet, startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const anything = z.unknown();

/** The outcome of connecting from a page: `connected`, or the reason of the refusal. */
function connectFrom(origin: string, launcherJwt: string, transport: 'websocket' | 'polling') {
  return new Promise<string>((resolve) => {
    const socket = io(server.url, {
      auth: { launcherJwt },
      transports: [transport],
      forceNew: true,
      reconnection: false,
      extraHeaders: { origin },
    });
    const done = (outcome: string) => {
      resolve(outcome);
      socket.disconnect();
    };
    socket.once('connect', () => done('connected'));
    socket.once('connect_error', (error: Error & { data?: { data?: { reason?: string } } }) =>
      done(error.data?.data?.reason ?? error.message),
    );
  });
}

const cases: [listed: string, admitted: string[], refused: string[]][] = [
  [
    'https://*.itch.zone',
    ['https://html-classic.itch.zone', 'https://xn--bcher-kva.itch.zone'],
    [
      'https://itch.zone',
      'https://a.b.itch.zone',
      'http://html-classic.itch.zone',
      'https://html-classic.itch.zone:8443',
      'https://evilitch.zone',
      'https://html-classic.itch.zone.evil.example',
      'https://evil.example/.itch.zone',
      'null',
    ],
  ],
  [
    'http://*.localhost:5173',
    ['http://game.localhost:5173'],
    ['http://game.localhost', 'http://localhost:5173'],
  ],
  ['capacitor://localhost', ['capacitor://localhost'], ['ionic://localhost', 'https://localhost', 'null']],
  ['ionic://localhost', ['ionic://localhost'], ['capacitor://localhost']],
  ['tauri://localhost', ['tauri://localhost'], ['tauri://localhost.evil.example']],
  ['app://-', ['app://-'], ['app://other', 'file://']],
  ['null', ['null'], ['file://', 'https://evil.example']],
  ['file://', ['file://'], ['null']],
];

describe.each(cases)('a game that allows %s', async (listed, admitted, others) => {
  const { gameId } = await server.createGame({ allowedOrigins: [listed] });
  const { launcherJwt } = await server.openSession(gameId);
  const set = (origin: string) =>
    api.post('/launcher/set-user-score', { launcherJwt, score: 1 }, { Origin: origin });

  it.each(admitted)('may be called by pages of %s, over HTTP and sockets', async (origin) => {
    const answer = await set(origin);
    accepted(answer, anything);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    const preflight = await fetch(`${server.url}/launcher/set-user-score`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(await connectFrom(origin, launcherJwt, 'websocket')).toBe('connected');
    expect(await connectFrom(origin, launcherJwt, 'polling')).toBe('connected');
  });

  it.each(others)('may not be called by pages of %s', async (origin) => {
    const { message } = refused(await set(origin), 401, 'origin_not_allowed');
    expect(message).toBe(
      `The game does not allow calls from ${origin}: open it at an address that it allows, or add this one to its allowed origins`,
    );
    expect(await connectFrom(origin, launcherJwt, 'websocket')).toBe('origin_not_allowed');
    expect(await connectFrom(origin, launcherJwt, 'polling')).toBe('origin_not_allowed');
  });
});

test('an allowed page names its game and is where its players sign in; an app signs in to the server', async () => {
  const signIn = (origin: string) =>
    api.post('/launcher/create-unverified-channel', { wallet: randomWallet() }, { Origin: origin });
  const answerOf = z.object({ signRequest: z.string() });
  await server.createGame({ name: 'Hosted', allowedOrigins: ['https://*.games.example', 'tauri://hosted'] });
  const hosted = accepted(await signIn('https://hosted.games.example'), answerOf);
  expect(hosted.signRequest).toContain('hosted.games.example wants you to sign in');
  expect(hosted.signRequest).toContain('URI: https://hosted.games.example/\n');
  const { signRequest } = accepted(await signIn('tauri://hosted'), answerOf);
  expect(signRequest).toContain(`URI: ${server.url}/\n`);
  await server.createGame({ name: 'Exact', allowedOrigins: ['https://exact.games.example'] });
  const exact = accepted(await signIn('https://exact.games.example'), answerOf);
  expect(exact.signRequest).toContain('Sign in to play Exact.');
});

describe('a malformed origin is refused with what to write:', () => {
  it.each([
    ['https://game.example/play', 'write https://game.example'],
    ['https://game.example:443', 'write https://game.example'],
    ['https://Game.example', 'write https://game.example'],
    ['https://bücher.example', 'write https://xn--bcher-kva.example'],
    ['game.example', 'write https://game.example'],
    ['localhost:5173', 'write http://localhost:5173'],
    ['wss://game.example', 'write https://game.example'],
    ['capacitor://localhost/index.html', 'write capacitor://localhost'],
    ['https://*.itch.zone/html', 'write https://*.itch.zone'],
    ['*', 'leave the list empty'],
    ['https://*', 'first of at least three labels: https://*.game.example'],
    ['https://*.zone', 'first of at least three labels'],
    ['https://game.*.zone', 'first of at least three labels'],
    ['https://*.*.itch.zone', 'first of at least three labels'],
    ['https://game*.itch.zone', 'first of at least three labels'],
    ['https://*.2.3.4', 'first of at least three labels'],
    ['app://*', 'first of at least three labels'],
    ['file:///home/me/game.html', 'have the origin null'],
    ['data:text/html,hello', 'have the origin null'],
    ['', 'such as https://game.example or capacitor://localhost'],
    ['https//game.example', 'such as https://game.example'],
  ])('%s', async (origin, words) => {
    const created = overHttp(server).call(createGame, { name: 'One', allowedOrigins: [origin] });
    await expect(created).rejects.toThrow(/^allowedOrigins\.0: must be an origin/);
    await expect(created).rejects.toThrow(words);
  });
});
