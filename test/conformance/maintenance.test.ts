import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { putMaintenance } from '../../src/features/maintenance/commands.ts';
import {
  endMaintenance,
  listMaintenance,
  setMaintenance,
} from '../../src/features/maintenance/operations/maintenance.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp(server);
const hour = 60 * 60 * 1000;

/** A game with a player. */
async function gameWithPlayer() {
  const { gameId, gameSecret } = await server.createGame();
  const { launcherJwt, wallet } = await server.openSession(gameId);
  return { gameId, gameSecret, launcherJwt, wallet };
}

const refusal = (retryAfterSeconds: number, message = 'Maintenance is in progress') => ({
  status: 503,
  body: {
    message: expect.stringContaining(message),
    data: { reason: 'maintenance', retryAfterSeconds },
  },
});

describe('maintenance of a game', () => {
  it('refuses writes and new sessions on every transport, and nothing else', async () => {
    const { gameId, gameSecret, launcherJwt, wallet } = await gameWithPlayer();
    const other = await gameWithPlayer();
    using socket = await connectLauncher(server.url, { launcherJwt });
    const byServer = { Authorization: `Bearer ${gameSecret}` };
    await admin.call(setMaintenance, { gameId, until: Date.now() + hour, message: 'New version' });
    const refused = refusal(60, 'New version');

    const score = { launcherJwt, score: 7 };
    expect(await api.post('/launcher/set-user-score', score)).toMatchObject(refused);
    const retryAfter = await fetch(`${server.url}/launcher/set-user-score`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(score),
    });
    expect(retryAfter.headers.get('Retry-After')).toBe('60');
    await expect(socket.call('setUserScore', { score: 7 })).rejects.toMatchObject({
      data: { reason: 'maintenance', retryAfterSeconds: 60 },
    });
    for (const [path, input, headers] of [
      ['/launcher/trigger-rules-engine', { launcherJwt, trigger: 'start' }],
      ['/launcher/batch', { launcherJwt, operations: [{ method: 'setUserScore', data: { score: 1 } }] }],
      ['/launcher/create-guest', { gameId }],
      ['/launcher/create-unverified-channel', { gameId, wallet }],
      ['/launcher/open-channel-session', { wallet }, byServer],
      ['/launcher/set-user-score', { wallet, score: 7 }, byServer],
      ['/launcher/vouch-for-player', { playerId: 'steam:1' }, byServer],
    ] as const) {
      expect([path, await api.post(path, input, headers)]).toMatchObject([path, refused]);
    }

    expect(await api.post('/launcher/get-player', { launcherJwt })).toMatchObject({ status: 200 });
    expect(await socket.call('getLeaderboards', { gameId })).toMatchObject({ success: true });
    expect(await socket.call('channelHeartbeat')).toEqual({ success: true });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(
      await api.post('/launcher/set-user-score', { ...score, launcherJwt: other.launcherJwt }),
    ).toMatchObject({
      status: 200,
    });
    expect(await api.post('/launcher/end-channel-session', { launcherJwt })).toMatchObject({ status: 200 });

    await admin.call(endMaintenance, { gameId });
    const again = await server.openSession(gameId);
    const accepted = await api.post('/launcher/set-user-score', { ...score, launcherJwt: again.launcherJwt });
    expect(accepted.status).toBe(200);
  });

  it('refuses sessions that a launcher opens in the game, by id and by slug', async () => {
    const slug = `in-maintenance-${randomUUID().slice(0, 8)}`;
    const { gameId } = await server.createGame({ slug });
    const { launcherJwt } = await server.openSession((await server.createGame({ kind: 'launcher' })).gameId);
    await admin.call(setMaintenance, { gameId, until: Date.now() + 30_000 });
    for (const name of [gameId, slug]) {
      const { status, body } = await api.post('/launcher/open-channel-session', {
        launcherJwt,
        gameId: name,
      });
      expect([status, body]).toMatchObject([503, { data: { reason: 'maintenance' } }]);
      const operations = [{ method: 'openChannelSession', data: { gameId: name } }];
      const batch = await api.post('/launcher/batch', { launcherJwt, operations });
      expect(batch).toMatchObject({ status: 503, body: { data: { reason: 'maintenance' } } });
    }
    expect(await api.post('/launcher/get-maintenance', { gameId: slug })).toMatchObject({
      status: 200,
      body: { success: true, maintenance: [{ gameId, message: '' }] },
    });
  });

  it('is refused when it would be over, or end before it begins', async () => {
    const refusedFor = (input: object, message: string) =>
      expect(admin.call(setMaintenance, { until: Date.now(), ...input })).rejects.toThrow(
        `until: ${message}`,
      );
    await refusedFor({}, 'must be in the future');
    await refusedFor({ from: Date.now() + hour }, 'must be in the future');
    await refusedFor({ from: Date.now() + 2 * hour, until: Date.now() + hour }, 'must be after from');
  });

  it('is told to the sessions of the game and to launchers when it is set, begins and ends', async () => {
    const { gameId, launcherJwt } = await gameWithPlayer();
    const other = await gameWithPlayer();
    const launcher = await server.openSession((await server.createGame({ kind: 'launcher' })).gameId);
    using socket = await connectLauncher(server.url, { launcherJwt });
    using ofLauncher = await connectLauncher(server.url, { launcherJwt: launcher.launcherJwt });
    using elsewhere = await connectLauncher(server.url, { launcherJwt: other.launcherJwt });
    const received = ({ received: all }: typeof socket) =>
      all.filter(({ name }) => name === 'maintenance patched').map(({ record }) => record);
    const from = Date.now() + 1_500;
    const planned = { gameId, from, until: from + hour, message: 'Soon' };
    expect(await admin.call(setMaintenance, planned)).toEqual({ success: true, maintenance: planned });
    expect((await admin.call(listMaintenance, {})).maintenance).toContainEqual(planned);
    const score = { launcherJwt, score: 7 };
    expect((await api.post('/launcher/set-user-score', score)).status).toBe(200);
    for (const one of [socket, ofLauncher]) {
      await until('it was set and begins', () => received(one).length === 2);
      expect(received(one)).toEqual([planned, planned]);
    }
    expect(await api.post('/launcher/set-user-score', score)).toMatchObject(refusal(60, 'Soon'));
    await admin.call(endMaintenance, { gameId });
    await until('it has ended', () => received(socket).length === 3);
    expect(received(socket)[2]).toMatchObject({ gameId, until: expect.any(Number) });
    expect((received(socket)[2] as { until: number }).until).toBeLessThanOrEqual(Date.now());
    expect(received(elsewhere)).toEqual([]);
  });
});

it('maintenance that another process sets is known and told here within moments', async () => {
  await using shared = await openSharedData();
  await using here = await startTestServer({ DATA_DIR: shared.path });
  const gameId = await shared.createGame();
  const { launcherJwt } = await shared.openSession(gameId);
  using socket = await connectLauncher(here.url, { launcherJwt });
  const record = { gameId, from: Date.now(), until: Date.now() + hour, message: 'Elsewhere' };
  await shared.db.write(putMaintenance, record);
  await until('it was told', () => socket.received.some(({ name }) => name === 'maintenance patched'));
  const score = { launcherJwt, score: 7 };
  expect(await apiOf(here).post('/launcher/set-user-score', score)).toMatchObject(refusal(60, 'Elsewhere'));
});

it('maintenance of all games refuses the writes of every game, and of administrators none', async () => {
  const { gameId, launcherJwt } = await gameWithPlayer();
  await admin.call(setMaintenance, { until: Date.now() + hour, message: 'The database is moved' });
  try {
    const refused = refusal(60, 'The database is moved');
    expect(await api.post('/launcher/set-user-score', { launcherJwt, score: 7 })).toMatchObject(refused);
    expect(await api.post('/launcher/create-guest', { gameId })).toMatchObject(refused);
    expect((await api.post('/launcher/get-maintenance', {})).body).toMatchObject({
      maintenance: [{ gameId: null, message: 'The database is moved' }],
    });
    await server.createGame();
  } finally {
    await admin.call(endMaintenance, {});
  }
  expect((await api.post('/launcher/set-user-score', { launcherJwt, score: 7 })).status).toBe(200);
});
