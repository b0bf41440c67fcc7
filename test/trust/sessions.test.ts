import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sweepErased } from '../../src/features/administration/erasure-sweeps.ts';
import { banPlayer, erasePlayer, unbanPlayer } from '../../src/features/administration/operations/players.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { startSession, trimSessions } from '../../src/features/sessions/commands.ts';
import { listSessions, openSession, revokeSession } from '../../src/features/sessions/operations/sessions.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { type AdminWay, overCommandLine, overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { connectWithHeaders } from '../support/caller.ts';
import type { Answer } from '../support/http.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelStatus, signInFields, succeeded } from '../support/records.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { newWallet, type TestWallet } from '../support/wallet.ts';

const adminToken = 'the-admin-token-of-this-suite';
const variables = { RATE_LIMIT_FACTOR: '1000', ADMIN_TOKEN: adminToken };
const server = await startTestServer(variables);
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp({ url: server.url, adminToken });
const { gameId } = await admin.call(createGame, { name: 'Space Race' });
const { gameId: otherGameId } = await admin.call(createGame, { name: 'Chess' });
const { gameId: launcherId } = await admin.call(createGame, { name: 'Launcher', kind: 'launcher' });
const { gameId: strictId } = await admin.call(createGame, {
  name: 'One at a time',
  policies: { oneSessionPerPlayer: true },
});

const done = succeeded({});
const as = (launcherJwt: string, path: string, body: object = {}) =>
  api.post(`/launcher/${path}`, { launcherJwt, ...body });
const status = async (launcherJwt: string) =>
  accepted(await as(launcherJwt, 'channel-status'), channelStatus);

/** A full sign-in with the wallet; the response of the last step. */
async function signIn(wallet: TestWallet, game: string, on: TestServer = server): Promise<Answer> {
  const begun = await apiOf(on).post('/launcher/create-unverified-channel', {
    gameId: game,
    wallet: wallet.address,
  });
  const { channelId, signRequest } = accepted(
    begun,
    succeeded({ channelId: z.string(), signRequest: z.string() }),
  );
  const signature = await wallet.sign(signRequest);
  return apiOf(on).post('/launcher/verify-unverified-channel', { channelId, signature });
}

const verified = succeeded(signInFields);
const signedIn = async (wallet: TestWallet, game: string, on?: TestServer) =>
  accepted(await signIn(wallet, game, on), verified).launcherJwt;

/** The launcher was told that its session is over, and why, and was then disconnected. */
async function isToldAndCut(launcher: TestLauncher, wallet: TestWallet, endReason: string): Promise<void> {
  const told = await until('the end of the session', () =>
    launcher.received.find(({ name, record }) => name === 'game-channels patched' && record.exists === false),
  );
  expect(told.record).toMatchObject({ wallet: wallet.lowercase, exists: false, present: false, endReason });
  await until('the end of the socket', () => launcher.socket.disconnected);
}

/** The session is over: its status says so, and nothing can be done with its token. */
async function isOver(launcherJwt: string): Promise<void> {
  expect(await status(launcherJwt)).toMatchObject({ exists: false, present: false });
  refused(await as(launcherJwt, 'set-user-score', { score: 1 }), 401, 'session_ended');
  refused(await as(launcherJwt, 'channel-heartbeat'), 401, 'session_ended');
  await expect(connectLauncher(server.url, { launcherJwt })).rejects.toMatchObject({
    data: { data: { reason: 'session_ended' } },
  });
}

describe('a channel session', () => {
  it('is opened by signing in, present by heartbeats, and ended by its player', async () => {
    const wallet = newWallet();
    const before = Date.now();
    const launcherJwt = await signedIn(wallet, gameId);
    const opened = await status(launcherJwt);
    expect(opened).toMatchObject({ exists: true, present: false, wallet: wallet.lowercase });
    expect(opened.openedAt).toBeGreaterThanOrEqual(before);

    accepted(await as(launcherJwt, 'channel-heartbeat'), done);
    expect(await status(launcherJwt)).toEqual({ ...opened, present: true });

    using launcher = await connectLauncher(server.url, { launcherJwt });
    accepted(await as(launcherJwt, 'end-channel-session'), done);
    await isToldAndCut(launcher, wallet, 'ended');
    await isOver(launcherJwt);
    expect((await status(launcherJwt)).openedAt).toBe(opened.openedAt);
  });

  it.each<[string, () => AdminWay]>([
    ['/admin', () => admin],
    ['gantry admin', () => overCommandLine(server.config)],
  ])('is revoked by an administrator over %s, whoever has it, and no other is', async (_way, way) => {
    const wallet = newWallet();
    const [launcherJwt, other] = [await signedIn(wallet, gameId), await signedIn(wallet, gameId)];
    using launcher = await connectLauncher(server.url, { launcherJwt });
    using untouched = await connectLauncher(server.url, { launcherJwt: other });
    const { data } = await admin.call(listSessions, { wallet: wallet.address });
    const oldest = data.at(-1);
    await way().call(revokeSession, { sessionId: oldest?.sessionId ?? '' });

    await isToldAndCut(launcher, wallet, 'revoked');
    await isOver(launcherJwt);
    expect(await status(other)).toMatchObject({ exists: true, present: true });
    expect(untouched.socket.connected).toBe(true);
    await expect(way().call(revokeSession, { sessionId: 'never-was' })).rejects.toThrow(
      'There is no such channel session',
    );
  });

  it('is ended by the game with its secret, by any calling style, and not by another secret, a token or nothing', async () => {
    const { gameId: mine, gameSecret } = await admin.call(createGame, { name: 'Mine' });
    const { gameSecret: foreign } = await admin.call(createGame, { name: 'Not mine' });
    const wallet = newWallet();
    const secret = (value: string) => ({ Authorization: `Bearer ${value}` });
    const input = { wallet: wallet.lowercase };
    const path = '/launcher/revoke-channel-session';
    const ways: ((body: object) => Promise<unknown>)[] = [
      async (body) => accepted(await api.post(path, body, secret(gameSecret)), z.unknown()),
      async (body) =>
        accepted(
          await api.dispatch('revokeChannelSession', body, { headers: secret(gameSecret) }),
          z.unknown(),
        ),
      async (body) => {
        using caller = await connectWithHeaders(server.url, secret(gameSecret));
        return await caller.call('revokeChannelSession', body);
      },
    ];
    for (const revoke of ways) {
      const [token, another] = [await signedIn(wallet, mine), await signedIn(wallet, mine)];
      const elsewhere = await signedIn(wallet, otherGameId);
      using launcher = await connectLauncher(server.url, { launcherJwt: token });

      refused(await api.post(path, input, secret(foreign.replace('gsk_', 'gsk_x'))), 401, 'secret_invalid');
      refused(await api.post(path, { ...input, launcherJwt: token }), 401, 'secret_required');
      refused(await api.post(path, { ...input, gameId: mine }), 401, 'secret_required');
      refused(await api.post(path, input, secret(adminToken)), 401, 'secret_invalid');
      expect(accepted(await api.post(path, input, secret(foreign)), z.unknown())).toEqual({
        success: true,
        ended: 0,
      });
      expect(await status(token)).toMatchObject({ exists: true });

      const sessionId = String(readJwt(another).payload.jti);
      refused(await api.post(path, { ...input, sessionId }, secret(foreign)), 401, 'session_unknown');
      expect(await revoke({ ...input, sessionId })).toEqual({ success: true, ended: 1 });
      await isOver(another);
      expect(await status(token)).toMatchObject({ exists: true });
      expect(await revoke(input)).toEqual({ success: true, ended: 1 });
      await isToldAndCut(launcher, wallet, 'revoked');
      await isOver(token);
      expect(await status(elsewhere)).toMatchObject({ exists: true });
    }
  });

  it("is replaced by its player's next one where a game allows one", async () => {
    const wallet = newWallet();
    const first = await signedIn(wallet, strictId);
    const elsewhere = await signedIn(wallet, gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: first });
    using others = await connectLauncher(server.url, { launcherJwt: await signedIn(newWallet(), strictId) });

    const second = await signedIn(wallet, strictId);
    await isToldAndCut(launcher, wallet, 'replaced');
    await isOver(first);
    expect((await status(second)).exists).toBe(true);
    expect((await status(elsewhere)).exists).toBe(true);
    expect(others.socket.connected).toBe(true);
    using _current = await connectLauncher(server.url, { launcherJwt: second });
  });

  it('is the only live one where a game allows one, however many are opened concurrently', async () => {
    const wallet = newWallet();
    const ways = Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0
        ? signedIn(wallet, strictId)
        : admin
            .call(openSession, { gameId: strictId, wallet: wallet.address })
            .then((one) => one.launcherJwt),
    );
    const tokens = await Promise.all(ways);
    const living = await Promise.all(tokens.map(async (token) => (await status(token)).exists));
    expect(living.filter((exists) => exists)).toHaveLength(1);
    const { data } = await admin.call(listSessions, { wallet: wallet.address });
    const reasons = data.map((session) => session.endReason);
    expect(reasons.filter((reason) => reason === 'replaced')).toHaveLength(9);
  });

  it('is ended by the two hundredth after it: the limit per player, across all games', async () => {
    const { gameId } = await server.createGame();
    const first = await server.openSession(gameId);
    const others = [];
    for (let at = 0; at < 199; at++) others.push(await server.openSession(gameId, first.wallet));
    const { db } = server.services;
    const endOf = async (sessionId: string) => (await db.read(findSession, sessionId))?.session.endReason;
    expect(await endOf(first.sessionId)).toBeNull();
    await server.openSession((await server.createGame()).gameId, first.wallet);
    expect(await endOf(first.sessionId)).toBe('replaced');
    expect(await endOf(others[0]?.sessionId ?? '')).toBeNull();
  });

  it("is not ended by any number of sessions that a game's server opens for its player", async () => {
    const { db } = server.services;
    const [own, { gameId: foreign }, { gameId: third }] = [
      await server.openSession(launcherId),
      await server.createGame(),
      await server.createGame(),
    ];
    const elsewhere = await server.openSession(gameId, own.wallet);
    const openByServer = async (of: string) => {
      const { session } = await db.write(
        startSession,
        { gameId: of, wallet: own.wallet },
        9e7,
        'game-server',
      );
      return session.id;
    };
    const endOf = async (sessionId: string) => (await db.read(findSession, sessionId))?.session.endReason;
    const first = await openByServer(third);
    const opened = [];
    for (let at = 0; at < 199; at++) opened.push(await openByServer(foreign));
    expect(await Promise.all([own, elsewhere].map(({ sessionId }) => endOf(sessionId)))).toEqual([
      null,
      null,
    ]);
    expect(await Promise.all([first, ...opened.slice(0, 3)].map(endOf))).toEqual([
      ...[null, 'replaced', 'replaced', null],
    ]);
    await server.openSession(otherGameId, own.wallet);
    expect(await Promise.all([own, elsewhere].map(({ sessionId }) => endOf(sessionId)))).toEqual([
      null,
      null,
    ]);
  });

  it('ends when its player is banned from the game, and none is opened until the ban is over', async () => {
    const wallet = newWallet();
    const launcherJwt = await signedIn(wallet, gameId);
    const elsewhere = await signedIn(wallet, otherGameId);
    const ownLauncher = await signedIn(wallet, launcherId);
    using launcher = await connectLauncher(server.url, { launcherJwt });
    using still = await connectLauncher(server.url, { launcherJwt: elsewhere });
    await admin.call(banPlayer, { wallet: wallet.address, gameId, reason: 'spam' });

    await isToldAndCut(launcher, wallet, 'banned');
    await isOver(launcherJwt);
    expect((await status(elsewhere)).exists).toBe(true);
    expect(still.socket.connected).toBe(true);
    const { error } = refused(await signIn(wallet, gameId), 401, 'player_banned');
    expect(error).toMatch(/is banned from this game; a moderator can lift the ban$/);
    refused(await as(ownLauncher, 'open-channel-session', { gameId }), 401, 'player_banned');
    await expect(admin.call(openSession, { gameId, wallet: wallet.address })).rejects.toThrow(
      `${wallet.address.toLowerCase()} is banned`,
    );
    await signedIn(newWallet(), gameId);

    await admin.call(unbanPlayer, { wallet: wallet.address, gameId });
    await isOver(launcherJwt); // the ban is over, the session stays ended
    await signedIn(wallet, gameId);
  });

  it('ends in every game when its player is banned from all of them', async () => {
    const wallet = newWallet();
    const tokens = [
      await signedIn(wallet, gameId),
      await signedIn(wallet, otherGameId),
      await signedIn(wallet, launcherId),
    ];
    await admin.call(banPlayer, { wallet: wallet.address });
    for (const token of tokens) await isOver(token);
    for (const game of [gameId, otherGameId, launcherId]) {
      const { error } = refused(await signIn(wallet, game), 401, 'player_banned');
      expect(error).toMatch(/is banned from every game; .* just erased can sign in/);
    }
    await expect(admin.call(unbanPlayer, { wallet: wallet.address, gameId })).rejects.toThrow('not banned');
    await admin.call(unbanPlayer, { wallet: wallet.address });
    await signedIn(wallet, gameId);
  });

  it('ends when its player is erased, and its token identifies nobody', async () => {
    const wallet = newWallet();
    const launcherJwt = await signedIn(wallet, gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt });
    await admin.call(erasePlayer, { wallet: wallet.address });
    await isToldAndCut(launcher, wallet, 'erased');
    refused(await as(launcherJwt, 'channel-status'), 401, 'token_invalid');
    await sweepErased(server.services.db, tables, { early: true });
    await signedIn(wallet, gameId);
  });

  it("is announced to the launcher that shows the game, and the launcher's own continues", async () => {
    const wallet = newWallet();
    const own = await signedIn(wallet, launcherId);
    const opened = await as(own, 'open-channel-session', { gameId });
    const { launcherJwt } = accepted(opened, succeeded({ launcherJwt: z.string(), url: z.string() }));
    using launcher = await connectLauncher(server.url, { launcherJwt: own });
    using game = await connectLauncher(server.url, { launcherJwt });
    const { data } = await admin.call(listSessions, { wallet: wallet.address, gameId });
    await admin.call(revokeSession, { sessionId: data[0]?.sessionId ?? '' });
    await isToldAndCut(game, wallet, 'revoked');
    const received = () => launcher.received.find(({ record }) => record.endReason === 'revoked');
    const { record } = await until('the launcher notified', received);
    expect(record).toMatchObject({ _id: data[0]?.sessionId, gameId, exists: false });
    expect(launcher.socket.connected).toBe(true);
    expect((await status(own)).exists).toBe(true);
  });
});

describe('a channel session that expires', () => {
  const seconds = 2;

  it('notifies and disconnects its sockets, and its token is refused as expired', async () => {
    await using brief = await startTestServer({ ...variables, SESSION_DAYS: String(seconds / 86_400) });
    const game = await overHttp({ url: brief.url, adminToken }).call(createGame, { name: 'Space Race' });
    const wallet = newWallet();
    const from = Date.now();
    const launcherJwt = await signedIn(wallet, game.gameId, brief);
    using launcher = await connectLauncher(brief.url, { launcherJwt });
    await launcher.call('channelHeartbeat');
    await isToldAndCut(launcher, wallet, 'expired');
    expect(Date.now() - from).toBeGreaterThanOrEqual((seconds - 1) * 1000);

    const of = (path: string, body: object = {}) =>
      apiOf(brief).post(`/launcher/${path}`, { launcherJwt, ...body });
    for (const path of ['channel-status', 'channel-heartbeat', 'end-channel-session'])
      refused(await of(path), 401, 'token_expired');
    await expect(connectLauncher(brief.url, { launcherJwt })).rejects.toMatchObject({
      data: { data: { reason: 'token_expired' } },
    });
    await signedIn(wallet, game.gameId, brief);
  });

  it('is deleted after its retention, and its token is refused as before', async () => {
    await using directory = await temporaryDirectory();
    const brief = { ...variables, DATA_DIR: directory.path, SESSION_DAYS: String(1 / 86_400) };
    const refusedAsExpired = async (on: TestServer, launcherJwt: string) => {
      refused(await apiOf(on).post('/launcher/channel-status', { launcherJwt }), 401, 'token_expired');
      await expect(connectLauncher(on.url, { launcherJwt })).rejects.toMatchObject({
        data: { data: { reason: 'token_expired' } },
      });
    };
    const before = await startTestServer(brief);
    const game = await before.createGame();
    const { launcherJwt, wallet, sessionId } = await before.openSession(game.gameId);
    const found = await before.services.db.read(findSession, sessionId);
    const expiresAt = found?.session.expiresAt ?? Number.POSITIVE_INFINITY;
    await until(
      'the session and its token have expired',
      () => Date.now() > Math.ceil(expiresAt / 1000) * 1000,
    );
    await refusedAsExpired(before, launcherJwt);
    await before.close();
    const short = { SESSION_RETENTION_DAYS: '0.000001', GUEST_IDLE_DAYS: '0.000001' };
    await using after = await startTestServer({ ...brief, ...short });
    await until(
      'the session is deleted',
      async () => (await after.services.db.read(findSession, sessionId)) === null,
    );
    await refusedAsExpired(after, launcherJwt);
    expect((await after.openSession(game.gameId, wallet)).wallet).toBe(wallet);
  });

  it('gives access to nothing if it is deleted while its token is valid', async () => {
    const { launcherJwt } = await server.openSession(otherGameId);
    expect((await status(launcherJwt)).exists).toBe(true);
    const wholeDayMs = 86_400_000;
    await server.services.db.write(trimSessions, -2 * wholeDayMs);
    for (const path of ['channel-status', 'channel-heartbeat', 'set-user-score'])
      refused(await as(launcherJwt, path, { score: 1 }), 401, 'token_invalid');
  });
});
