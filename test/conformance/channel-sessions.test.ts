import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSession } from '../../src/features/sessions/commands.ts';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelStatus, id, succeeded, time } from '../support/records.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame({ name: 'Space Race' });
const { gameId: launcherId } = await server.createGame({ name: 'Launcher', kind: 'launcher' });

const done = succeeded({});
const opened = succeeded({ launcherJwt: z.string(), url: z.string() });
const listed = succeeded({
  sessions: z.array(
    z.strictObject({
      sessionId: id,
      gameId: id,
      gameName: z.string(),
      openedBy: z.string(),
      openedAt: time,
      expiresAt: time,
      present: z.boolean(),
    }),
  ),
});

const as = ({ launcherJwt }: { launcherJwt: string }, path: string, body: object = {}) =>
  api.post(`/launcher/${path}`, { launcherJwt, ...body });

const status = async (player: { launcherJwt: string }) =>
  accepted(await as(player, 'channel-status'), channelStatus);
const sessions = async (player: TestPlayer) =>
  accepted(await as(player, 'list-channel-sessions'), listed).sessions;

describe('channel-status', () => {
  it('describes the token’s own session', async () => {
    const before = Date.now();
    const player = await server.openSession(gameId);
    const { openedAt, ...rest } = await status(player);
    expect(rest).toEqual({ exists: true, present: false, wallet: player.wallet });
    expect(openedAt).toBeGreaterThanOrEqual(before);
    expect(openedAt).toBeLessThanOrEqual(Date.now());
  });

  it('says that an ended session does not exist, when called with its token', async () => {
    const player = await server.openSession(gameId);
    accepted(await as(player, 'channel-heartbeat'), done);
    accepted(await as(player, 'end-channel-session'), done);
    expect(await status(player)).toMatchObject({ exists: false, present: false, wallet: player.wallet });
  });

  it('behaves the same when dispatched, also with GET', async () => {
    const player = await server.openSession(gameId);
    const expected = await status(player);
    const { launcherJwt } = player;
    expect(accepted(await api.dispatch('channelStatus', { launcherJwt }), channelStatus)).toEqual(expected);
    const headers = { 'X-Service-Method': 'channelStatus', 'X-Launcher-Jwt': launcherJwt };
    expect(accepted(await api.get('/launcher', headers), channelStatus)).toEqual(expected);
  });
});

describe('a session is present', () => {
  it("after a heartbeat, without affecting the player's other sessions", async () => {
    const player = await server.openSession(gameId);
    const second = await server.openSession(gameId, player.wallet);
    accepted(await as(player, 'channel-heartbeat'), done);
    expect((await status(player)).present).toBe(true);
    expect((await status(second)).present).toBe(false);
  });

  it('while one of its sockets is connected', async () => {
    const player = await server.openSession(gameId);
    {
      using _launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
      await until('presence', async () => (await status(player)).present);
    }
    await until('absence', async () => !(await status(player)).present);
  });
});

describe('endChannelSession', () => {
  it('invalidates the token immediately, for calls and for sockets', async () => {
    const player = await server.openSession(gameId);
    const { launcherJwt } = player;
    using launcher = await connectLauncher(server.url, { launcherJwt });
    accepted(await as(player, 'set-user-score', { score: 1 }), z.unknown());
    accepted(await as(player, 'end-channel-session'), done);
    refused(await as(player, 'set-user-score', { score: 2 }), 401, 'session_ended');
    refused(await as(player, 'channel-heartbeat'), 401, 'session_ended');
    refused(await as(player, 'end-channel-session'), 401, 'session_ended');
    await until('the socket’s end', () => launcher.socket.disconnected);
    await expect(connectLauncher(server.url, { launcherJwt })).rejects.toMatchObject({
      data: { code: 401, data: { reason: 'session_ended' } },
    });
  });

  it("does not affect the player's other sessions", async () => {
    const player = await server.openSession(gameId);
    const second = await server.openSession(gameId, player.wallet);
    accepted(await as(player, 'end-channel-session'), done);
    expect((await status(second)).exists).toBe(true);
  });

  it('accepts the id of the token’s own session', async () => {
    const player = await server.openSession(gameId);
    accepted(await as(player, 'end-channel-session', { sessionId: player.sessionId }), done);
    expect((await status(player)).exists).toBe(false);
  });

  it('ends any session of the player for a launcher, and is idempotent', async () => {
    const player = await server.openSession(gameId);
    const launcher = await server.openSession(launcherId, player.wallet);
    const body = { sessionId: player.sessionId };
    accepted(await as(launcher, 'end-channel-session', body), done);
    refused(await as(player, 'set-user-score', { score: 1 }), 401, 'session_ended');
    accepted(await as(launcher, 'end-channel-session', body), done);
  });

  it('ends no other session for a game', async () => {
    const player = await server.openSession(gameId);
    const second = await server.openSession(gameId, player.wallet);
    const answer = await as(player, 'end-channel-session', { sessionId: second.sessionId });
    refused(answer, 401, 'not_a_launcher');
    expect((await status(second)).exists).toBe(true);
  });

  it('ends no session of another player, which is as unknown as one that never existed', async () => {
    const launcher = await server.openSession(launcherId);
    const other = await server.openSession(gameId);
    const foreign = await as(launcher, 'end-channel-session', { sessionId: other.sessionId });
    const absent = await as(launcher, 'end-channel-session', { sessionId: 'never-was' });
    expect(refused(foreign, 401, 'session_unknown')).toEqual(absent.body);
    expect((await status(other)).exists).toBe(true);
  });
});

describe('openChannelSession', () => {
  it('opens a session in a game for the launcher’s player', async () => {
    const launcher = await server.openSession(launcherId);
    const answer = await as(launcher, 'open-channel-session', { gameId });
    const { launcherJwt } = accepted(answer, opened);
    expect(await status({ launcherJwt })).toMatchObject({ exists: true, wallet: launcher.wallet });
    accepted(await as({ launcherJwt }, 'set-user-score', { score: 3 }), z.unknown());
    const body = { gameId, wallet: launcher.wallet };
    const position = await api.dispatch('getUsersPositionInGameScoreLeaderboard', body);
    expect(position.body).toMatchObject({ success: true, position: 1 });
  });

  it.each([
    ['', ''],
    ['https://play.example/race', 'https://play.example/race?token='],
    ['https://play.example/?level=2', 'https://play.example/?level=2&token='],
    ['https://play.example/#lobby', 'https://play.example/?token=', '#lobby'],
  ])('for a game at "%s" returns its address and the token', async (url, start, end = '') => {
    const game = await server.createGame({ url });
    const launcher = await server.openSession(launcherId);
    const answer = accepted(await as(launcher, 'open-channel-session', { gameId: game.gameId }), opened);
    expect(answer.url).toBe(url === '' ? '' : `${start}${answer.launcherJwt}${end}`);
  });

  it('opens none for the token of a game', async () => {
    const player = await server.openSession(gameId);
    refused(await as(player, 'open-channel-session', { gameId }), 401, 'not_a_launcher');
  });

  it('refuses an unknown game', async () => {
    const launcher = await server.openSession(launcherId);
    const answer = await as(launcher, 'open-channel-session', { gameId: 'no-such-game' });
    refused(answer, 400, 'game_unknown');
  });
});

describe('listChannelSessions', () => {
  it('lists the player’s live sessions of every game to a launcher, newest first', async () => {
    const launcher = await server.openSession(launcherId);
    const { gameId: other } = await server.createGame({ name: 'Chess' });
    const first = await server.openSession(gameId, launcher.wallet);
    const second = await server.openSession(other, launcher.wallet);
    const ended = await server.openSession(gameId, launcher.wallet);
    await server.openSession(gameId);
    accepted(await as(ended, 'end-channel-session'), done);
    accepted(await as(first, 'channel-heartbeat'), done);

    const list = await sessions(launcher);
    expect(list.map(({ openedAt, openedBy, expiresAt, ...rest }) => rest)).toEqual([
      { sessionId: second.sessionId, gameId: other, gameName: 'Chess', present: false },
      { sessionId: first.sessionId, gameId, gameName: 'Space Race', present: true },
      { sessionId: launcher.sessionId, gameId: launcherId, gameName: 'Launcher', present: false },
    ]);
    for (const { openedAt, expiresAt } of list) expect(expiresAt - openedAt).toBe(24 * 60 * 60 * 1000);
  });

  it('lists to a game only its own', async () => {
    const player = await server.openSession(gameId);
    await server.openSession(launcherId, player.wallet);
    expect((await sessions(player)).map((session) => session.sessionId)).toEqual([player.sessionId]);
  });

  it('lists no session that has expired', async () => {
    const launcher = await server.openSession(launcherId);
    await server.services.db.write(startSession, { gameId, wallet: launcher.wallet }, -1000);
    expect((await sessions(launcher)).map((session) => session.sessionId)).toEqual([launcher.sessionId]);
  });
});

const launcher = await server.openSession(launcherId);
itRefuses(
  api,
  '/launcher/open-channel-session',
  () => ({ launcherJwt: launcher.launcherJwt, gameId }),
  requiredString('gameId'),
);
itRefuses(
  api,
  '/launcher/end-channel-session',
  () => ({ launcherJwt: launcher.launcherJwt, sessionId: 's' }),
  faults('sessionId', [7, true, ['s'], { s: 1 }], 'input_invalid'),
);
