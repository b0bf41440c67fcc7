import { io } from 'socket.io-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectWithHeaders } from '../support/caller.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';

let server: TestServer;
let player: TestPlayer;
let gameSecret: string;
beforeAll(async () => {
  server = await startTestServer();
  const game = await server.createGame();
  gameSecret = game.gameSecret;
  player = await server.openSession(game.gameId);
});
afterAll(() => server.close());

interface Handshake {
  auth?: Record<string, unknown>;
  query?: Record<string, string>;
  extraHeaders?: Record<string, string>;
}

/** The error body with which a handshake is refused; null when it is accepted. */
async function refusalOf(handshake: Handshake, transport = 'websocket'): Promise<unknown> {
  const socket = io(server.url, {
    ...handshake,
    transports: [transport],
    forceNew: true,
    reconnection: false,
  });
  const refusal = await new Promise((resolve) => {
    socket.once('connect', () => resolve(null));
    socket.once('connect_error', (error) => resolve(Reflect.get(error, 'data')));
  });
  socket.disconnect();
  return refusal;
}

const reason = (name: string) => ({ code: 401, data: { reason: name } });

test.each([
  ['one that never was', () => 'Bearer wrong'],
  ['one in the form of a secret', () => `Bearer gsk_${'a'.repeat(43)}`],
  ['one without Bearer', () => gameSecret],
  ["an administrator's token", () => `Bearer ${server.adminToken}`],
  ['a Basic one', () => `Basic ${btoa('user:password')}`],
])('a wrong secret in the Authorization header of a handshake is refused: %s', async (_which, header) => {
  for (const auth of [{}, { launcherJwt: player.launcherJwt }]) {
    for (const transport of ['websocket', 'polling']) {
      const extraHeaders = { Authorization: header() };
      expect(await refusalOf({ auth, extraHeaders }, transport)).toMatchObject(reason('secret_invalid'));
    }
  }
});

test("a game's secret is accepted there, with and without a player's token", async () => {
  using game = await connectWithHeaders(server.url, { Authorization: `Bearer ${gameSecret}` });
  const { wallet } = player;
  expect(await game.call('getUserScores', { wallet })).toMatchObject({ success: true });
  const auth = { launcherJwt: player.launcherJwt };
  expect(await refusalOf({ auth, extraHeaders: { Authorization: `Bearer ${gameSecret}` } })).toBeNull();
});

test.each<[string, (jwt: string) => Handshake]>([
  ['as auth.jwt', (jwt) => ({ auth: { jwt } })],
  ['as auth.token', (jwt) => ({ auth: { token: `Bearer ${jwt}` } })],
  ['in the query, as launcherJwt', (launcherJwt) => ({ query: { launcherJwt } })],
  ['in the header X-Launcher-Jwt', (jwt) => ({ extraHeaders: { 'X-Launcher-Jwt': jwt } })],
  ['in the header Authorization', (jwt) => ({ extraHeaders: { Authorization: `Bearer ${jwt}` } })],
])('a client that sends its token %s is told where it belongs', async (place, handshake) => {
  for (const transport of ['websocket', 'polling']) {
    expect(await refusalOf(handshake(player.launcherJwt), transport)).toMatchObject({
      ...reason('token_missing'),
      message: `The token was sent ${place}: send it as auth.launcherJwt`,
    });
  }
});

test.each<[string, () => Handshake]>([
  ['no token', () => ({ auth: { client: 'mine', version: 'eyes', token: null } })],
  [
    'the token in its place and in others',
    () => ({
      auth: { launcherJwt: player.launcherJwt, jwt: player.launcherJwt },
      query: { token: player.launcherJwt },
    }),
  ],
])('a client that sends %s is accepted', async (_what, handshake) => {
  expect(await refusalOf(handshake())).toBeNull();
});
