import { afterAll, describe, expect, test } from 'vitest';
import { createAdministrator } from '../../src/features/administration/administrators/operations/administrators.ts';
import { updateGame } from '../../src/features/administration/operations/games.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openGuestSession } from '../../src/features/guests/operations/guests.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { listPlayers, updatePlayer } from '../../src/features/players/operations/players.ts';
import { findPlayer } from '../../src/features/players/queries.ts';
import { createLeaderboard, updateLeaderboard } from '../../src/features/scores/operations/leaderboards.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { post } from '../support/http.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp(server);
const { gameId, gameSecret } = await server.createGame();

const nameOf = async (wallet: string) => (await server.services.db.read(findPlayer, wallet))?.username;

/** Operations of administrators that set names, each returning the name as it was stored. */
const named: Readonly<Record<string, (name: string) => Promise<string | undefined>>> = {
  async updatePlayer(username) {
    return (await admin.call(updatePlayer, { wallet: randomWallet(), username })).username;
  },
  async openSession(username) {
    const wallet = randomWallet();
    await admin.call(openSession, { gameId, wallet, username });
    return nameOf(wallet);
  },
  async openGuestSession(username) {
    return nameOf((await admin.call(openGuestSession, { gameId, username })).wallet);
  },
  async createGame(name) {
    return (await admin.call(createGame, { name })).game.name;
  },
  async updateGame(name) {
    const { gameId } = await server.createGame();
    return (await admin.call(updateGame, { gameId, name })).game.name;
  },
  async createLeaderboard(label) {
    const { gameId } = await server.createGame();
    const { leaderboard } = await admin.call(createLeaderboard, { gameId, name: 'weekly', labels: [label] });
    return leaderboard.labels[0];
  },
  async updateLeaderboard(label) {
    const { gameId } = await server.createGame();
    await admin.call(createLeaderboard, { gameId, name: 'weekly' });
    const input = { gameId, leaderboard: 'weekly', addLabels: [label] };
    return (await admin.call(updateLeaderboard, input)).leaderboard.labels[0];
  },
  async createAdministrator(name) {
    return (await admin.call(createAdministrator, { name, role: 'read-only' })).administrator.name;
  },
};

describe.each(Object.keys(named))('%s', (operation) => {
  const set = (name: string) => named[operation]?.(name);

  test('normalizes the name', async () => {
    expect(await set('  Ele\u0301na \u00a0 M ')).toBe('El\u00e9na M');
  });

  test.each(['x\u202ey', 'x\ny', 'x\0', 'x\ue000', '\u200b', '\u3164', '\u2800', '  '])(
    'refuses %j',
    async (name) => {
      await expect(set(name)).rejects.toThrow(/must (not contain U\+|have a visible character)/);
    },
  );
});

test('setUsername normalizes the name, and refuses one with hidden characters', async () => {
  const created = await api.post('/launcher/create-guest', { gameId });
  const { launcherJwt } = Object(created.body);
  const set = (username: string) => api.post('/launcher/set-username', { launcherJwt, username });
  expect((await set(' Ele\u0301na  M')).body).toEqual({ success: true, username: 'El\u00e9na M' });
  expect((await set('\u202eanele')).body).toMatchObject({
    code: 400,
    message: 'username: must not contain U+202E: a control, invisible, private or unassigned character',
    data: { reason: 'input_invalid' },
    errors: [{ path: 'username' }],
  });
  expect((await set('')).body).toEqual({ success: true, username: '' });
});

describe('a name that the caller has not chosen is cleaned', () => {
  test.each([
    ['Zo\u200be\u202e\n', 'Zoe'],
    ['Zoe\ue000 the\tGreat', 'Zoe the Great'],
    ['👩‍🚀 می‌خواهم', '👩‍🚀 می‌خواهم'],
    ['\u3164', ''],
  ])('%j by vouchForPlayer', async (username, stored) => {
    const input = { playerId: `steam:${username}`, username };
    const { status, body } = await post(`${server.url}/launcher/vouch-for-player`, input, bearer(gameSecret));
    expect([status, await nameOf(Object(body).wallet)]).toEqual([200, stored]);
  });

  test('by createGuest and its device', async () => {
    const created = await api.post('/launcher/create-guest', {
      gameId,
      deviceName: ' Ada’s\u200b\nphone\0 ',
    });
    const { launcherJwt } = Object(created.body);
    const listed = await api.post('/launcher/list-guest-devices', { launcherJwt });
    expect(listed.body).toMatchObject({ devices: [{ name: 'Ada’s phone' }] });
  });
});

test('a name stored by an earlier version is still read, and the player still plays', async () => {
  const { launcherJwt, wallet } = await server.openSession(gameId);
  await server.services.db.write(setProfile, wallet, { username: 'Ada\u202e\u3164' });
  expect((await api.post('/launcher/set-user-score', { launcherJwt, score: 5 })).status).toBe(200);
  const board = await api.post('/launcher/get-game-scores-leaderboard', { launcherJwt, gameId });
  expect(board.body).toMatchObject({ leaderboard: [{ username: 'Ada\u202e\u3164' }] });
  expect((await admin.call(listPlayers, { search: wallet })).data).toMatchObject([
    { username: 'Ada\u202e\u3164' },
  ]);
});
