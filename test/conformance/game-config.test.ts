import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { updateGame } from '../../src/features/administration/operations/games.ts';
import { cohortOf } from '../../src/features/game-config/evaluate.ts';
import {
  listConfigVersions,
  readConfig,
  rollBackConfig,
  setConfig,
} from '../../src/features/game-config/operations/config-versions.ts';
import { compareVersions } from '../../src/features/games/version.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp(server);

const answer = succeeded({
  version: z.int(),
  etag: z.string(),
  unchanged: z.boolean(),
  values: z.record(z.string(), z.unknown()),
});
const get = async (fields: object, headers: Record<string, string> = {}) =>
  accepted(await api.post('/launcher/get-config', fields, headers), answer);

describe('getConfig', () => {
  it('answers no values at version 0 while nothing was set', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    expect(await get({ launcherJwt })).toMatchObject({ version: 0, unchanged: false, values: {} });
  });

  it('answers public keys to players, and private ones to the game server only', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const rules = [{ wallets: [wallet.toUpperCase().replace('X', 'x')], value: 'yours' }];
    const changes = [
      { key: 'open', value: null, rules },
      { key: 'odds', value: { rare: 0.05 }, public: false },
    ];
    await admin.call(setConfig, { gameId, changes, ifVersion: 0 });
    const odds = { rare: 0.05 };
    expect((await get({ launcherJwt })).values).toEqual({ open: 'yours' });
    expect((await get({}, bearer(gameSecret))).values).toEqual({ open: null, odds });
    expect((await get({ wallet }, bearer(gameSecret))).values).toEqual({ open: 'yours', odds });
    expect((await get({ launcherJwt }, bearer(gameSecret))).values).toEqual({ open: 'yours', odds });
    expect((await get({ launcherJwt, keys: ['odds', 'none'] })).values).toEqual({});
    expect((await get({ keys: ['odds'] }, bearer(gameSecret))).values).toEqual({ odds });
  });

  it('applies rules by label and by the version that the call says', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const rules = [
      { version: { from: '1.4', below: '2' }, label: 'beta', value: 'both' },
      { version: { below: '1.10' }, value: 'old' },
    ];
    await admin.call(setConfig, { gameId, changes: [{ key: 'mode', value: 'usual', rules }], ifVersion: 0 });
    const mode = async (fields: object, headers = {}) =>
      (await get({ launcherJwt, ...fields }, headers)).values.mode;
    expect(await mode({})).toBe('usual');
    expect(await mode({ gameVersion: '1.9' })).toBe('old');
    expect(await mode({}, { 'X-Game-Version': '1.9.9' })).toBe('old');
    expect(await mode({ gameVersion: '1.10' }, { 'X-Game-Version': '1.9' })).toBe('usual');
    expect(await mode({ label: 'beta', gameVersion: '1.10' })).toBe('both');
    expect(await mode({ label: 'beta', gameVersion: '2.0' })).toBe('usual');
  });

  it('sends no values again to who has them, and never keeps those of another build or player', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const { launcherJwt, wallet } = await server.openSession(gameId);
    await admin.call(setConfig, { gameId, changes: [{ key: 'xp', value: 1 }], ifVersion: 0 });
    const { etag: ifNoneMatch } = await get({ launcherJwt });
    expect(await get({ launcherJwt, ifNoneMatch })).toMatchObject({
      unchanged: true,
      etag: ifNoneMatch,
      values: {},
    });
    for (const other of [{ label: 'beta' }, { gameVersion: '2' }, { keys: ['xp'] }]) {
      expect(await get({ launcherJwt, ifNoneMatch, ...other })).toMatchObject({ unchanged: false });
    }
    expect(await get({ wallet, ifNoneMatch }, bearer(gameSecret))).toMatchObject({ unchanged: false });
    const { launcherJwt: another } = await server.openSession(gameId);
    expect(await get({ launcherJwt: another, ifNoneMatch })).toMatchObject({ unchanged: false });
    await admin.call(setConfig, { gameId, changes: [{ key: 'xp', value: 2 }], ifVersion: 1 });
    expect(await get({ launcherJwt, ifNoneMatch })).toMatchObject({ unchanged: false, values: { xp: 2 } });
  });
});

describe("administrators' operations", () => {
  it('refuse a second editor with the current version, and what is malformed', async () => {
    const { gameId } = await server.createGame();
    const xp = { key: 'xp', value: 1 };
    await admin.call(setConfig, { gameId, changes: [xp], ifVersion: 0, comment: 'Launch' });
    const send = (fields: object) =>
      api.post('/admin/set-config', { gameId, ifVersion: 0, ...fields }, bearer(server.adminToken));
    const late = await send({ changes: [{ key: 'xp', value: 5 }] });
    expect(late).toMatchObject({ status: 409, body: { data: { reason: 'config_changed', version: 1 } } });
    for (const changes of [
      [],
      [xp, xp],
      [{ ...xp, key: '__proto__' }],
      [{ ...xp, key: 'a b' }],
      [{ ...xp, key: 'x'.repeat(101) }],
      [{ ...xp, removed: true }],
      [{ ...xp, rules: [{ value: 3 }] }],
      [{ ...xp, rules: [{ percent: 10 }] }],
      [{ ...xp, rules: [{ percent: 101, value: 1 }] }],
      [{ ...xp, rules: [{ version: {}, value: 1 }] }],
      [{ ...xp, rules: [{ version: { from: '1.x' }, value: 1 }] }],
    ]) {
      refused(await send({ changes, ifVersion: 1 }), 400, 'input_invalid');
    }
    expect(await admin.call(readConfig, { gameId })).toMatchObject({
      version: 1,
      entries: [{ ...xp, public: true, rules: [] }],
    });
  });

  it('list versions page by page, read each and roll back to it', async () => {
    const { gameId } = await server.createGame();
    for (const value of [1, 2, 3]) {
      await admin.call(setConfig, { gameId, changes: [{ key: 'xp', value }], ifVersion: value - 1 });
    }
    expect(await admin.call(rollBackConfig, { gameId, toVersion: 1, ifVersion: 3 })).toMatchObject({
      version: 4,
      keys: ['xp'],
    });
    const page = await admin.call(listConfigVersions, { gameId, limit: 2, skip: 0 });
    expect(page).toMatchObject({
      total: 4,
      data: [
        { version: 4, actor: 'admin-token', keys: ['xp'], restored: 1 },
        { version: 3, restored: null },
      ],
    });
    expect(await admin.call(readConfig, { gameId, version: 2 })).toMatchObject({ entries: [{ value: 2 }] });
    const trimmed = { gameId, version: 9 };
    const read = await api.post('/admin/read-config', trimmed, bearer(server.adminToken));
    refused(read, 400, 'config_version_unknown');
  });
});

describe('cohorts', () => {
  it('keep their players when the share grows, and are independent between keys', () => {
    const places = Array.from({ length: 100_000 }, (_, at) => {
      const id = `01a1fb9e-14c8-779b-9a47-${at.toString(16).padStart(12, '0')}`;
      return [cohortOf('xp', id), cohortOf('map', id)] as const;
    });
    const within = (percent: number) => places.filter(([place]) => place < percent);
    expect(within(10).length / 1_000).toBeCloseTo(10, 0);
    expect(within(20).length / 1_000).toBeCloseTo(20, 0);
    const grown = new Set(within(20));
    expect(within(10).every((player) => grown.has(player))).toBe(true);
    expect(within(10).filter(([, other]) => other < 10).length / 1_000).toBeCloseTo(1, 0);
    expect([within(0).length, within(100).length]).toEqual([0, 100_000]);
  });

  it('keep a guest who gets a wallet', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const { body } = await api.post('/launcher/get-player', { launcherJwt });
    const { userId } = z.object({ player: z.object({ userId: z.string() }) }).parse(body).player;
    // The place follows from the user id, which an upgrade keeps (test/contracts/storage/guests.contract.ts).
    const percent = Math.ceil(cohortOf('xp', userId) * 1_000) / 1_000 + 0.001;
    const rules = [{ percent, value: 'in' }];
    await admin.call(setConfig, { gameId, changes: [{ key: 'xp', value: 'out', rules }], ifVersion: 0 });
    expect((await get({ launcherJwt })).values).toEqual({ xp: 'in' });
    const fewer = [{ percent: percent - 0.002, value: 'in' }];
    await admin.call(setConfig, { gameId, changes: [{ key: 'xp', rules: fewer }], ifVersion: 1 });
    expect((await get({ launcherJwt })).values).toEqual({ xp: 'out' });
  });
});

describe('minVersion', () => {
  const least = { version: '1.4', url: 'https://orbit.example/download', message: 'New maps!' };

  it('refuses older versions and calls without one, and says what to install and where', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const score = (headers: Record<string, string>, fields: object = { launcherJwt }) =>
      api.post('/launcher/set-user-score', { score: 1, ...fields }, headers);
    expect(await score({})).toMatchObject({ status: 200 });
    await admin.call(updateGame, { gameId, policies: { minVersion: least } });
    for (const headers of [{}, { 'X-Game-Version': '1.3.9' }, { 'X-Game-Version': 'newest' }]) {
      const data = { reason: 'update_required', update: least };
      expect(await score(headers)).toMatchObject({ status: 403, body: { code: 403, data } });
    }
    for (const version of ['1.4', '1.4.0.1', '1.10', '2']) {
      expect(await score({ 'X-Game-Version': version })).toMatchObject({ status: 200 });
    }
    expect(await score(bearer(gameSecret), { wallet })).toMatchObject({ status: 200 });
    const status = await api.post('/launcher/channel-status', { launcherJwt });
    expect(status).toMatchObject({ status: 200 });
    const sent = await api.post('/launcher/create-guest', { gameId });
    refused(sent, 403, 'update_required');
    expect(await api.post('/launcher/get-games', {})).toMatchObject({ status: 200 });
    expect(await api.post('/launcher/list-news', { gameId })).toMatchObject({ status: 200 });
    refused(await api.post('/launcher/list-news', { launcherJwt }), 403, 'update_required');
    await admin.call(updateGame, { gameId, policies: { minVersion: null } });
    expect(await score({})).toMatchObject({ status: 200 });
  });

  it.each([
    ['1.4', '1.4.0', 0],
    ['1.10', '1.9', 1],
    ['0.9.9.9', '1', -1],
    ['2', '10', -1],
  ])('%s and %s compare as %d', (one, other, expected) => {
    expect(Math.sign(compareVersions(one, other))).toBe(expected);
    expect(Math.sign(compareVersions(other, one))).toBe(expected === 0 ? 0 : -expected);
  });
});
