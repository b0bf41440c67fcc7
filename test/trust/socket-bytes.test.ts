import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startSession } from '../../src/features/sessions/commands.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { apiOf } from '../support/api.ts';
import { accepted, refused } from '../support/outcome.ts';
import { openRawWebSocket, text } from '../support/raw-websocket.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

// A tenth of every limit: 1.6 MiB at once for a player, and 200 KiB a second.
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ RATE_LIMIT_FACTOR: '0.1' });
});
afterAll(() => server.close());

const overBudget = { data: { reason: 'rate_limited' }, message: expect.stringMatching(/^Too many bytes/) };
const large = JSON.stringify('a'.repeat(900_000));

function connect({ launcherJwt }: TestPlayer, transport: 'websocket' | 'polling') {
  const socket = io(server.url, {
    auth: { launcherJwt },
    transports: [transport],
    forceNew: true,
    reconnection: false,
  });
  return {
    socket,
    call: (method: string, data: object): Promise<unknown> =>
      new Promise((resolve, reject) => {
        socket.emit(method, 'launcher', data, {}, (error: unknown, result: unknown) =>
          error ? reject(error) : resolve(result),
        );
      }),
    [Symbol.dispose]: () => void socket.disconnect(),
  };
}

describe.each(['websocket', 'polling'] as const)('over %s', (transport) => {
  test('requests are charged to the player, as over HTTP, and other players are unaffected', async () => {
    const { gameId } = await server.createGame();
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    using attacker = connect(ada, transport);
    using other = connect(grace, transport);
    // Until the budget is used up; the next call pays for the excess.
    await attacker.call('setState', { label: 'one', state: large });
    await expect(attacker.call('setState', { label: 'two', state: large })).rejects.toMatchObject(overBudget);
    await expect(attacker.call('getUserScore', {})).rejects.toMatchObject(overBudget);
    const body = { launcherJwt: ada.launcherJwt };
    refused(await apiOf(server).post('/launcher/get-user-score', body), 429, 'rate_limited');
    await expect(other.call('getUserScore', {})).resolves.toMatchObject({ success: true });
    expect(attacker.socket.connected).toBe(true);
  });

  test("a session that a game's server opens uses up none of the player's bytes in other games", async () => {
    const [{ gameId }, other] = [await server.createGame(), await server.createGame()];
    const ada = await server.openSession(gameId);
    const owner = { gameId: other.gameId, wallet: ada.wallet };
    const details = await server.services.db.write(startSession, owner, 9e7, 'game-server');
    const foreign = { ...ada, launcherJwt: await issueToken(details, server.services) };
    using attacker = connect(foreign, transport);
    await attacker.call('setState', { label: 'one', state: large });
    await expect(attacker.call('setState', { label: 'two', state: large })).rejects.toMatchObject(overBudget);
    const call = (launcherJwt: string) => apiOf(server).post('/launcher/get-user-score', { launcherJwt });
    refused(await call(foreign.launcherJwt), 429, 'rate_limited');
    accepted(await call(ada.launcherJwt), z.unknown());
    using own = connect(ada, transport);
    await expect(own.call('getUserScore', {})).resolves.toMatchObject({ success: true });
  });

  test('responses are charged too', async () => {
    const { gameId } = await server.createGame();
    const ada = await server.openSession(gameId);
    using reader = connect(ada, transport);
    await reader.call('setState', { label: 'one', state: large.slice(0, 300_000).concat('"') });
    const answered = z.object({ states: z.array(z.unknown()).min(1) });
    const answers: unknown[] = [];
    const readOn = async () => answered.parse(await reader.call('getStates', {}));
    await expect(
      (async () => {
        for (;;) answers.push(await readOn());
      })(),
    ).rejects.toMatchObject(overBudget);
    expect(answers.length).toBeGreaterThanOrEqual(2);
    expect(answers.length).toBeLessThanOrEqual(12);
  });
});

test('a large call of a player over budget is answered before it is read', async () => {
  const { gameId } = await server.createGame();
  const ada = await server.openSession(gameId);
  using socket = await openRawWebSocket(server);
  socket.send(text(`40{"launcherJwt":"${ada.launcherJwt}"}`));
  await until('admitted', () => socket.texts.some((one) => one.startsWith('40')));
  const call = (id: number) =>
    `42${id}["setState","launcher",{"label":"a","state":${JSON.stringify(large)}},{}]`;
  const answerTo = (id: number) =>
    until(`the answer ${id}`, () => socket.texts.find((one) => one.startsWith(`43${id}[`)));
  socket.send(text(call(1)));
  expect(await answerTo(1)).toContain('"success":true');
  socket.send(text(call(2).replace('[', '[not JSON')));
  expect(JSON.parse((await answerTo(2)).slice(3))).toMatchObject([{ code: 429, ...overBudget }]);
  expect(socket.isClosed()).toBe(false);
});

test.each([
  ['an answer to an event, for which none asks', '431[not JSON'],
  ['an event for another namespace', '42/other,[not JSON'],
])('%s of a player over budget is not read', async (_what, packet) => {
  const { gameId } = await server.createGame();
  const ada = await server.openSession(gameId);
  using socket = await openRawWebSocket(server);
  socket.send(text(`40{"launcherJwt":"${ada.launcherJwt}"}`));
  await until('admitted', () => socket.texts.some((one) => one.startsWith('40')));
  const call = `["setState","launcher",{"label":"a","state":${JSON.stringify(large)}},{}]`;
  socket.send(text(`421${call}`));
  await until('charged', () => socket.texts.some((one) => one.startsWith('431[')));
  socket.send(text(packet + large), text('422["channelStatus","launcher"]'));
  await until('answered', () => socket.texts.some((one) => one.startsWith('432[')), 5_000);
});
