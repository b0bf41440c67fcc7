import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { banPlayer } from '../../src/features/administration/operations/players.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelStatus, id, ownPlayer, signInFields, succeeded, time } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';
import { signInsTo } from '../support/sign-in.ts';
import { newWallet } from '../support/wallet.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const dayMs = 86_400_000;

const token = { launcherJwt: z.string(), jwt: z.string(), expiresAt: time };
const renewed = succeeded(token);
const created = succeeded({
  wallet: z.string(),
  deviceId: id,
  deviceSecret: z.string(),
  ...signInFields,
});
const found = succeeded({
  player: ownPlayer,
  session: z.strictObject({
    sessionId: id,
    gameId: id,
    openedAt: time,
    openedBy: z.string(),
    expiresAt: time,
  }),
});

const createGuest = async (gameId: string) =>
  accepted(await api.post('/launcher/create-guest', { gameId }), created);
const getPlayer = async (launcherJwt: string) =>
  accepted(await api.post('/launcher/get-player', { launcherJwt }), found);
const renew = (launcherJwt: string) => api.post('/launcher/renew-channel-session', { launcherJwt });

describe('getPlayer', () => {
  it('returns who the player is and until when the session lives, as the sign-in did', async () => {
    const { gameId } = await server.createGame();
    const guest = await createGuest(gameId);
    const { player, session } = await getPlayer(guest.launcherJwt);
    expect(player).toEqual(guest.player);
    expect(session).toMatchObject({ gameId, openedBy: 'device', expiresAt: guest.expiresAt });
    expect(session.sessionId).toBe(readJwt(guest.launcherJwt).payload.jti);
    expect(session.expiresAt).toBe(session.openedAt + dayMs);
  });

  it('returns the name and picture that were chosen since', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await createGuest(gameId);
    await api.post('/launcher/set-username', { launcherJwt, username: 'Grace' });
    expect((await getPlayer(launcherJwt)).player).toMatchObject({ username: 'Grace', isNamed: true });
    await api.post('/launcher/set-username', { launcherJwt, username: '' });
    expect((await getPlayer(launcherJwt)).player.isNamed).toBe(false);
  });

  it('says of a wallet that it is no guest', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt, wallet, userId } = await server.openSession(gameId);
    expect((await getPlayer(launcherJwt)).player).toMatchObject({
      wallet,
      userId,
      isGuest: false,
      avatar: `${server.url}/avatars/${wallet}.svg`,
    });
  });
});

describe('renewChannelSession', () => {
  it('extends the session to a full lifetime from now, with a new token of the same session', async () => {
    const { gameId } = await server.createGame();
    const guest = await createGuest(gameId);
    const before = (await getPlayer(guest.launcherJwt)).session;
    await nextMillisecond();
    const from = Date.now();
    const { launcherJwt, jwt, expiresAt } = accepted(await renew(guest.launcherJwt), renewed);
    expect(jwt).toBe(launcherJwt);
    expect(expiresAt).toBeGreaterThanOrEqual(from + dayMs);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + dayMs);
    const { session } = await getPlayer(launcherJwt);
    expect(session).toEqual({ ...before, expiresAt });
    const { payload } = readJwt(launcherJwt);
    expect(payload).toMatchObject({ jti: before.sessionId, exp: Math.ceil(expiresAt / 1000) });
    // The earlier token is one of this session too, until its own end.
    expect((await getPlayer(guest.launcherJwt)).session).toEqual(session);
  });

  it('is allowed to who signed in with a wallet, and refused to sessions that someone else opened', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const launcher = await server.createGame({ kind: 'launcher' });
    const wallet = newWallet();
    const signIns = signInsTo(server, launcher.gameId);
    const { channelId, signRequest } = await signIns.begin(wallet.address);
    const answer = await signIns.finish(channelId, await wallet.sign(signRequest));
    const own = accepted(answer, succeeded(signInFields));
    expect(accepted(await renew(own.launcherJwt), renewed).expiresAt).toBeGreaterThanOrEqual(own.expiresAt);

    const opened = z.looseObject({ launcherJwt: z.string() });
    const byLauncher = await api.post('/launcher/open-channel-session', {
      launcherJwt: own.launcherJwt,
      gameId,
    });
    const byServer = await api.post('/launcher/vouch-for-player', { playerId: '7' }, bearer(gameSecret));
    const { launcherJwt: byAdministrator } = await server.openSession(gameId);
    for (const { launcherJwt } of [
      accepted(byLauncher, opened),
      accepted(byServer, opened),
      { launcherJwt: byAdministrator },
    ]) {
      const { expiresAt } = (await getPlayer(launcherJwt)).session;
      const { message } = refused(await renew(launcherJwt), 401, 'sign_in_required');
      expect(message).toContain("ask the launcher or the game's server for a new token");
      expect((await getPlayer(launcherJwt)).session.expiresAt).toBe(expiresAt);
    }
  });

  it('is refused once the session has ended, also by a ban', async () => {
    const { gameId } = await server.createGame();
    const [ended, banned] = [await createGuest(gameId), await createGuest(gameId)];
    await api.post('/launcher/end-channel-session', { launcherJwt: ended.launcherJwt });
    await overHttp(server).call(banPlayer, { wallet: banned.wallet, gameId, reason: 'rude' });
    for (const { launcherJwt } of [ended, banned]) {
      refused(await renew(launcherJwt), 401, 'session_ended');
      const status = await api.post('/launcher/channel-status', { launcherJwt });
      expect(accepted(status, channelStatus).exists).toBe(false);
    }
    refused(await renew(''), 401, 'token_missing');
  });

  it('sends no event, and sockets of the session stay connected', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await createGuest(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt });
    accepted(await renew(launcherJwt), renewed);
    expect(await launcher.call('setUserScore', { score: 1 })).toMatchObject({ success: true });
    await launcher.waitForEvent('scores created');
    expect(launcher.received.filter(({ name }) => name === 'game-channels patched')).toEqual([]);
  });
});
