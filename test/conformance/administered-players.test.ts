import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { listAuditLog } from '../../src/features/administration/operations/logs.ts';
import {
  banPlayer,
  erasePlayer,
  getPlayerDetails,
} from '../../src/features/administration/operations/players.ts';
import { listPlayerMessages } from '../../src/features/messages/operations/messages.ts';
import { listPlayers, updatePlayer } from '../../src/features/players/operations/players.ts';
import { listPlayerScores } from '../../src/features/scores/operations/scores.ts';
import { listStates, setPlayerState } from '../../src/features/states/operations/player-states.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { conversationsOn } from '../support/conversations.ts';
import { connectLauncher } from '../support/launcher.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp(server);
const conversations = conversationsOn(api);
const setScore = (player: { launcherJwt: string }, score: number) =>
  api.post('/launcher/set-user-score', { launcherJwt: player.launcherJwt, score });

describe('list-players', () => {
  it('finds part of a name case-insensitively, and wallets by their prefix or in shortened form', async () => {
    const { gameId } = await server.createGame();
    const { wallet } = await server.openSession(gameId);
    const other = await server.openSession(gameId);
    await admin.call(updatePlayer, { wallet, username: 'Grace 100%_Hopper' });
    const found = async (search: string) =>
      (await admin.call(listPlayers, { gameId, search })).data.map((one) => one.wallet);
    const shown = `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;
    for (const search of [
      'race',
      'HOPPER',
      '0%_',
      wallet,
      wallet.slice(0, 20),
      shown,
      shown.replace('…', '...'),
    ])
      expect([search, await found(search)]).toEqual([search, [wallet]]);
    const mixed = `${wallet.slice(0, 20)}…${other.wallet.slice(-20)}`;
    for (const search of ['hoppers', '0_%', '\\', mixed, wallet.slice(2)])
      expect([search, await found(search)]).toEqual([search, []]);
  });

  it.each([
    ['Élise', ['elise', 'ÉLISE', 'e\u0301lise', 'lis']],
    ['Mesut ÖZİL', ['ozil', 'özil', 'ÖZIL', 'ÖZİL', 'Özıl']],
    ['ΟΔΥΣΣΕΥΣ', ['οδυσσευς', 'Ὀδυσσεύς', 'οδυσ']],
    ['Ёлка Straße', ['елка', 'ЁЛКА', 'STRASSE', 'straße']],
    ['Ｎｅｏ ﬁsh', ['neo', 'fish', 'NEO FISH']],
    ['محمّد می‌خواهم', ['محمد', 'میخواهم', 'می‌خواهم']],
    ['50%_off\\', ['50%', '%_o', 'OFF\\']],
  ])('finds %s by %j, whatever the case and marks', async (username, searches) => {
    const { gameId } = await server.createGame();
    const { wallet } = await server.openSession(gameId);
    await server.openSession(gameId);
    await admin.call(updatePlayer, { wallet, username });
    for (const search of searches) {
      const { total, data } = await admin.call(listPlayers, { gameId, search });
      expect([search, total, data.map((one) => one.username)]).toEqual([search, 1, [username]]);
    }
    await admin.call(updatePlayer, { wallet, username: 'Renamed' });
    expect((await admin.call(listPlayers, { gameId, search: searches[0] })).total).toBe(0);
    expect((await admin.call(listPlayers, { gameId, search: `${wallet}\0` })).total).toBe(1);
  });

  it('shows who is online, who is banned and when each was last seen, and filters by it', async () => {
    const { gameId } = await server.createGame();
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    using _launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
    const listed = async (filter: { present?: boolean; banned?: boolean }) => {
      const { total, data } = await admin.call(listPlayers, { gameId, ...filter });
      expect(total).toBe(data.length);
      return data.map(({ wallet }) => wallet).toSorted();
    };
    await until('Ada is online', async () => (await listed({ present: true })).join() === ada.wallet);
    expect(await listed({ present: false })).toEqual([grace.wallet]);
    await admin.call(banPlayer, { wallet: grace.wallet, reason: 'spam' });
    expect(await listed({ banned: true })).toEqual([grace.wallet]);
    expect(await listed({ banned: false })).toEqual([ada.wallet]);
    expect(await listed({ banned: true, present: true })).toEqual([]);
    const { data } = await admin.call(listPlayers, { gameId, search: ada.wallet });
    expect(data).toMatchObject([{ present: true, bannedFrom: [] }]);
    expect(Math.abs((data[0]?.lastOpenedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });
});

describe('get-player-details', () => {
  it('shows the profile, bans, games, presence and when the player was last seen', async () => {
    const [first, second] = [await server.createGame(), await server.createGame()];
    const { wallet, launcherJwt } = await server.openSession(first.gameId);
    await server.openSession(first.gameId, wallet);
    await nextMillisecond(); // so that the games have an order
    await server.openSession(second.gameId, wallet);
    await admin.call(updatePlayer, { wallet, username: 'Grace' });
    await admin.call(banPlayer, { wallet, gameId: second.gameId, reason: 'cheating' });
    using _launcher = await connectLauncher(server.url, { launcherJwt });
    const read = async () =>
      (await admin.call(getPlayerDetails, { wallet: wallet.toUpperCase().replace('X', 'x') })).player;
    const shown = await until('the player is online', async () => {
      const player = await read();
      return player?.games.some(({ present }) => present) && player;
    });
    expect(shown).toEqual({
      wallet,
      userId: expect.any(String),
      username: 'Grace',
      avatar: '',
      createdAt: expect.any(Number),
      bans: [{ gameId: second.gameId, reason: 'cheating', at: expect.any(Number) }],
      games: [
        { gameId: second.gameId, sessions: 1, lastSeenAt: expect.any(Number), present: false },
        { gameId: first.gameId, sessions: 2, lastSeenAt: expect.any(Number), present: true },
      ],
    });

    const played = { launcherJwt, sessionId: randomUUID(), state: '{}' };
    const act = [() => setScore({ launcherJwt }, 3), () => api.post('/launcher/track-game-sessions', played)];
    for (const one of act) {
      const before = Date.now();
      await until('the clock has moved', () => Date.now() > before);
      expect((await one()).status).toBe(200);
      const [latest] = (await read())?.games ?? [];
      expect(latest?.gameId).toBe(first.gameId);
      expect(latest?.lastSeenAt).toBeGreaterThan(before);
    }
  });

  it('does not find players who were never seen or were erased', async () => {
    expect(await admin.call(getPlayerDetails, { wallet: randomWallet() })).toEqual({
      success: true,
      player: null,
    });
    const { gameId } = await server.createGame();
    const { wallet } = await server.openSession(gameId);
    await admin.call(erasePlayer, { wallet });
    expect((await admin.call(getPlayerDetails, { wallet })).player).toBeNull();
  });
});

describe('list-player-scores', () => {
  it('lists the scores of a player in the game, most recently set first, in pages', async () => {
    const { gameId } = await server.createGame();
    const other = await server.createGame();
    const player = await server.openSession(gameId);
    const { wallet } = player;
    for (const score of [3, 7, 5]) await setScore(player, score);
    await setScore(await server.openSession(gameId), 100);
    await setScore(await server.openSession(other.gameId, wallet), 200);
    const all = await admin.call(listPlayerScores, { gameId, wallet });
    expect(all).toMatchObject({ total: 3, skip: 0 });
    expect(all.data.map(({ score }) => score)).toEqual([5, 7, 3]);
    expect(all.data[0]).toMatchObject({ gameId, normalizedAddress: wallet });
    const page = await admin.call(listPlayerScores, { gameId, wallet, limit: 1, skip: 1 });
    expect(page).toMatchObject({ total: 3, limit: 1, skip: 1, data: [{ score: 7 }] });
    expect(await admin.call(listPlayerScores, { gameId, wallet: randomWallet() })).toMatchObject({
      total: 0,
      data: [],
    });
    await expect(admin.call(listPlayerScores, { gameId: 'none', wallet })).rejects.toThrow('no game');
  });
});

describe('list-player-messages', () => {
  it("lists a player's own messages, in one game or in all, newest first", async () => {
    const [first, second] = [await server.createGame(), await server.createGame()];
    const grace = await server.openSession(first.gameId);
    const elsewhere = await server.openSession(second.gameId, grace.wallet);
    const write = async (sender: typeof grace, gameId: string, ...contents: string[]) => {
      const other = await server.openSession(gameId);
      const channel = await conversations.create(sender, other);
      for (const content of contents) await conversations.send(sender, channel._id, content);
      await conversations.send(other, channel._id, 'an answer');
    };
    await write(grace, first.gameId, 'one', 'two');
    await write(elsewhere, second.gameId, 'three');
    const { wallet } = grace;
    const contents = async (filter: object) => {
      const { total, data } = await admin.call(listPlayerMessages, { wallet, ...filter });
      return [total, data.map(({ content, gameId, senderId }) => [content, gameId, senderId])];
    };
    const [one, two, three] = [
      ['one', first.gameId, wallet],
      ['two', first.gameId, wallet],
      ['three', second.gameId, wallet],
    ];
    expect(await contents({})).toEqual([3, [three, two, one]]);
    expect(await contents({ gameId: first.gameId })).toEqual([2, [two, one]]);
    expect(await contents({ gameId: 'none' })).toEqual([0, []]);
    expect(await contents({ limit: 1, skip: 1 })).toEqual([3, [two]]);
  });
});

describe('set-player-state', () => {
  it('replaces or creates a state, which the player then reads, and keeps its content out of the audit log', async () => {
    const { gameId } = await server.createGame();
    const { wallet, launcherJwt } = await server.openSession(gameId);
    await api.post('/launcher/set-state', { launcherJwt, label: 'hero', state: '{"level":3}' });
    const read = async (label: string) =>
      (await api.post('/launcher/get-states', { launcherJwt, label })).body;
    const { newState } = await admin.call(setPlayerState, {
      gameId,
      wallet,
      label: 'hero',
      state: '{ "name": "Zo\u00eb of the secret order", "level": 4 }',
    });
    expect(newState.state).toEqual({ level: 4, name: 'Zoë of the secret order' });
    expect(await read('hero')).toEqual({ success: true, states: [newState] });
    await admin.call(setPlayerState, { gameId, wallet, label: 'given', state: '[1]' });
    expect(await read('given')).toMatchObject({ states: [{ label: 'given', state: [1] }] });

    const { data } = await admin.call(listAuditLog, { limit: 2 });
    expect(data).toMatchObject([
      { operation: 'setPlayerState', input: { gameId, wallet, label: 'given', bytes: 3 }, outcome: 'ok' },
      { operation: 'setPlayerState', input: { gameId, wallet, label: 'hero' }, outcome: 'ok' },
    ]);
    expect(JSON.stringify(data)).not.toContain('secret order');
  });

  it('refuses invalid JSON, states that are too large, and unknown players and games', async () => {
    const { gameId } = await server.createGame();
    const { wallet } = await server.openSession(gameId);
    const right = { gameId, wallet, label: 'hero', state: '{}' };
    for (const [wrong, message] of [
      [{ state: '{' }, 'JSON'],
      [{ state: JSON.stringify('a'.repeat(1_048_576)) }, '1048576'],
      [{ wallet: randomWallet() }, 'no player with this wallet'],
      [{ gameId: 'none' }, 'no game'],
      [{ label: '' }, 'label'],
    ] as const) {
      await expect(admin.call(setPlayerState, { ...right, ...wrong })).rejects.toThrow(message);
    }
    expect(await admin.call(listStates, { gameId })).toMatchObject({ total: 0 });
  });
});
