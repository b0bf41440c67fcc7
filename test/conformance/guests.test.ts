import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import { changeGame } from '../../src/features/administration/commands.ts';
import { displayName } from '../../src/features/players/player.ts';
import { apiOf } from '../support/api.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelStatus, signInFields, succeeded } from '../support/records.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { signInsTo } from '../support/sign-in.ts';
import { newWallet, type TestWallet } from '../support/wallet.ts';
import { bearer } from '../support/world.ts';

const created = succeeded({
  wallet: z.string().regex(/^0x6775657374[0-9a-f]{30}$/),
  deviceId: z.uuidv7(),
  deviceSecret: z.string().regex(/^gd_[\w-]{43}$/),
  ...signInFields,
});
const signedIn = succeeded({ wallet: z.string(), ...signInFields });
const begun = succeeded({ channelId: z.string(), signRequest: z.string() });
const vouched = succeeded({
  wallet: z.string(),
  isNew: z.boolean(),
  isGuest: z.boolean(),
  launcherJwt: z.string(),
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const api = () => apiOf(server);
const createGuest = async (gameId: string) =>
  accepted(await api().post('/launcher/create-guest', { gameId }), created);
const statusOf = async (launcherJwt: string) =>
  accepted(await api().post('/launcher/channel-status', { launcherJwt }), channelStatus);

async function upgrade(launcherJwt: string, wallet: TestWallet, headers: Record<string, string> = {}) {
  const { channelId, signRequest } = accepted(
    await api().post('/launcher/request-guest-upgrade', { launcherJwt, wallet: wallet.address }, headers),
    begun,
  );
  const signature = await wallet.sign(signRequest);
  return api().post('/launcher/upgrade-guest', { launcherJwt, channelId, signature }, headers);
}

describe('a player without a wallet', () => {
  test('signs in again with the device, in every game, as the same player', async () => {
    const [one, other] = [await server.createGame(), await server.createGame()];
    const guest = await createGuest(one.gameId);
    expect(guest.jwt).toBe(guest.launcherJwt);
    for (const { gameId } of [one, other]) {
      const { deviceSecret } = guest;
      const again = accepted(await api().post('/launcher/sign-in-guest', { gameId, deviceSecret }), signedIn);
      expect(again.wallet).toBe(guest.wallet);
      expect((await statusOf(again.launcherJwt)).wallet).toBe(guest.wallet);
    }
  });

  test('may choose a name at once, by the rules of names, and is told who it is', async () => {
    const { gameId } = await server.createGame();
    const wordFilter = { action: 'reject' as const, words: ['darn'] };
    await server.services.db.write(changeGame, gameId, { policies: { wordFilter } });
    const post = (username: string) => api().post('/launcher/create-guest', { gameId, username });
    const named = accepted(await post('  Zoe  Ng '), created);
    expect(named.player).toEqual({
      wallet: named.wallet,
      userId: readJwt(named.launcherJwt).payload.userId,
      username: 'Zoe Ng',
      isNamed: true,
      avatar: `${server.url}/avatars/${named.wallet}.svg`,
      isGuest: true,
    });
    expect(readJwt(named.launcherJwt).payload.username).toBe('Zoe Ng');
    refused(await post('x'.repeat(41)), 400, 'input_invalid', 'username');
    refused(await post('\u200b'), 400, 'input_invalid', 'username');
    refused(await post('Darn It'), 400, 'words_not_allowed', 'username');
    for (const input of [{ gameId }, { gameId, username: '' }]) {
      const { player, launcherJwt } = accepted(await api().post('/launcher/create-guest', input), created);
      expect(player).toMatchObject({ isNamed: false, username: displayName({ ...player, username: '' }) });
      expect(readJwt(launcherJwt).payload.username).toBeUndefined();
    }
  });

  test('is not authenticated by the address alone, whoever sends it', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const other = await server.createGame();
    const { wallet } = await createGuest(gameId);
    const post = api().post;
    refused(await post('/launcher/create-unverified-channel', { gameId, wallet }), 400, 'guest_address');
    refused(await post('/launcher/sign-in-guest', { gameId, deviceSecret: wallet }), 401, 'device_unknown');
    const thief = await createGuest(gameId);
    refused(
      await post('/launcher/request-guest-upgrade', { launcherJwt: thief.launcherJwt, wallet }),
      400,
      'guest_address',
    );
    refused(await post('/launcher/open-channel-session', { wallet }), 401, 'token_missing');
    // A game's server acts for it in its own game, as for any player, and for no made-up one.
    const secret = bearer(gameSecret);
    expect((await post('/launcher/set-user-score', { wallet, score: 1 }, secret)).status).toBe(200);
    refused(
      await post('/launcher/set-user-score', { wallet: newGuestAddress(), score: 1 }, secret),
      400,
      'player_unknown',
    );
    refused(
      await post('/launcher/open-channel-session', { wallet: newGuestAddress() }, bearer(other.gameSecret)),
      400,
      'player_unknown',
    );
  });

  test("gets a wallet with both: a live session and the wallet's signature", async () => {
    const { gameId, gameSecret } = await server.createGame();
    const guest = await createGuest(gameId);
    const { launcherJwt } = guest;
    const post = api().post;
    await post('/launcher/set-user-score', { launcherJwt, score: 7 });
    await post('/launcher/set-state', { launcherJwt, label: 'hero', state: '{"level":3}' });
    const wallet = newWallet();
    const requested = await post('/launcher/request-guest-upgrade', { launcherJwt, wallet: wallet.address });
    const { channelId, signRequest } = accepted(requested, begun);
    expect(signRequest).toContain(`Keep the player ${guest.wallet} of Test Game with this wallet.`);
    const wrong = await newWallet().sign(signRequest);
    refused(
      await post('/launcher/upgrade-guest', { launcherJwt, channelId, signature: wrong }),
      401,
      'wallet_signature_invalid',
    );
    const signature = await wallet.sign(signRequest);
    // The signature is for this guest and this purpose.
    refused(
      await post('/launcher/verify-unverified-channel', { channelId, signature }),
      400,
      'sign_in_unknown',
    );
    const thief = await createGuest(gameId);
    const stolen = { launcherJwt: thief.launcherJwt, channelId, signature };
    refused(await post('/launcher/upgrade-guest', stolen), 400, 'sign_in_unknown');
    refused(await post('/launcher/upgrade-guest', { channelId, signature }), 401, 'token_missing');

    using launcher = await connectLauncher(server.url, { launcherJwt });
    const answer = await post('/launcher/upgrade-guest', { launcherJwt, channelId, signature });
    const upgraded = accepted(answer, signedIn);
    expect(upgraded.wallet).toBe(wallet.lowercase);
    expect((await launcher.waitForEvent('game-channels patched')).record).toMatchObject({
      exists: false,
      endReason: 'upgraded',
    });
    const mine = { launcherJwt: upgraded.launcherJwt };
    expect((await post('/launcher/get-user-scores', mine)).body).toMatchObject({ scores: [{ score: 7 }] });
    expect((await post('/launcher/get-states', mine)).body).toMatchObject({
      states: [{ label: 'hero', normalizedAddress: wallet.lowercase, state: { level: 3 } }],
    });
    refused(await post('/launcher/set-user-score', { launcherJwt, score: 8 }), 401, 'session_ended');
    const { deviceSecret } = guest;
    refused(await post('/launcher/sign-in-guest', { gameId, deviceSecret }), 409, 'guest_upgraded');
    const late = await post(
      '/launcher/set-user-score',
      { wallet: guest.wallet, score: 8 },
      bearer(gameSecret),
    );
    expect(refused(late, 409, 'guest_upgraded').message).toContain(wallet.lowercase);
    refused(await post('/launcher/list-guest-devices', mine), 400, 'not_a_guest');
    // From now on the wallet signs in like any other.
    const signIns = signInsTo(server, gameId);
    const again = await signIns.begin(wallet.address);
    const verified = await signIns.finish(again.channelId, await wallet.sign(again.signRequest));
    const { launcherJwt: later } = accepted(verified, z.looseObject({ launcherJwt: z.string() }));
    expect((await post('/launcher/get-user-scores', { launcherJwt: later })).body).toMatchObject({
      scores: [{ score: 7 }],
    });
  });

  test('cannot get a wallet that already is a player', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await createGuest(gameId);
    const taken = newWallet();
    await server.openSession(gameId, taken.lowercase);
    refused(
      await api().post('/launcher/request-guest-upgrade', { launcherJwt, wallet: taken.address }),
      409,
      'wallet_taken',
    );
    // It may have become one since the request.
    const other = newWallet();
    const requested = await api().post('/launcher/request-guest-upgrade', {
      launcherJwt,
      wallet: other.address,
    });
    const { channelId, signRequest } = accepted(requested, begun);
    await server.openSession(gameId, other.lowercase);
    const signature = await other.sign(signRequest);
    refused(
      await api().post('/launcher/upgrade-guest', { launcherJwt, channelId, signature }),
      409,
      'wallet_taken',
    );
    expect((await statusOf(launcherJwt)).exists).toBe(true);
  });

  test('vouched for by a server can get a wallet too, through that server, and the server is notified', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const launcher = await server.createGame({ kind: 'launcher' });
    const vouch = (secret: string, playerId: string, username = 'Zoë') =>
      api().post('/launcher/vouch-for-player', { playerId, username }, bearer(secret));
    const first = accepted(await vouch(gameSecret, 'steam:1'), vouched);
    expect([first.isNew, first.isGuest]).toEqual([true, true]);
    expect((await statusOf(first.launcherJwt)).wallet).toBe(first.wallet);
    const wallet = newWallet();
    const { launcherJwt } = first;
    const asked = await api().post('/launcher/request-guest-upgrade', {
      launcherJwt,
      wallet: wallet.address,
    });
    refused(asked, 401, 'sign_in_required');
    accepted(await upgrade(launcherJwt, wallet, bearer(gameSecret)), signedIn);
    const later = accepted(await vouch(gameSecret, 'steam:1', 'Impostor'), vouched);
    expect(later).toMatchObject({ wallet: wallet.lowercase, isNew: false, isGuest: false });
    // The name is the wallet's own from now on.
    expect(readJwt(later.launcherJwt).payload).toMatchObject({ username: 'Zoë' });
    refused(await vouch(launcher.gameSecret, 'steam:1'), 401, 'sign_in_required');
    refused(
      await api().post('/launcher/vouch-for-player', { gameId, playerId: 'x' }),
      401,
      'secret_required',
    );
  });

  test('with a wallet are named by it to servers and administrators who use the former address', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const { wallet, launcherJwt } = await createGuest(gameId);
    const upgraded = newWallet();
    accepted(await upgrade(launcherJwt, upgraded), signedIn);
    const message = { message: 'Hello', type: 'success' };
    for (const [path, input] of [
      ['notify-players', { wallets: [wallet], ...message }],
      ['batch', { operations: [{ method: 'notifyPlayers', data: { wallets: [wallet], ...message } }] }],
      ['mute-in-game', { wallet, seconds: 60 }],
      ['revoke-channel-session', { wallet }],
    ] as const) {
      const answer = await api().post(`/launcher/${path}`, input, bearer(gameSecret));
      expect(refused(answer, 409, 'guest_upgraded').message, path).toContain(upgraded.lowercase);
    }
    for (const [path, input] of [
      ['ban-player', { wallet }],
      ['mute-player', { wallet, gameId, seconds: 60 }],
      ['update-player', { wallet, username: 'Zoë' }],
      ['open-session', { wallet, gameId }],
      ['set-player-state', { wallet, gameId, label: 'hero', state: '1' }],
      ['export-player', { wallet }],
      ['erase-player', { wallet }],
    ] as const) {
      const answer = await api().post(`/admin/${path}`, input, bearer(server.adminToken));
      expect(refused(answer, 409, 'guest_upgraded').message, path).toContain(upgraded.lowercase);
    }
    // Other players do not learn the wallet.
    const other = await createGuest(gameId);
    const blocked = await api().post('/launcher/block-player', { launcherJwt: other.launcherJwt, wallet });
    expect(refused(blocked, 409, 'guest_upgraded').message).not.toContain(upgraded.lowercase);
  });
});

describe('guests are forbidden', () => {
  test('by a game: including sessions from a launcher', async () => {
    const launcher = await server.createGame({ kind: 'launcher' });
    const closed = await server.createGame({ policies: { guests: 'forbidden' } });
    const ofServer = await server.createGame({ policies: { guests: 'server' } });
    const { launcherJwt, deviceSecret } = await createGuest(launcher.gameId);
    for (const { gameId } of [closed, ofServer]) {
      const post = api().post;
      refused(await post('/launcher/create-guest', { gameId }), 403, 'guests_forbidden');
      refused(await post('/launcher/sign-in-guest', { gameId, deviceSecret }), 403, 'guests_forbidden');
      refused(await post('/launcher/open-channel-session', { launcherJwt, gameId }), 403, 'guests_forbidden');
    }
    const vouch = (secret: string) =>
      api().post('/launcher/vouch-for-player', { playerId: 'x' }, bearer(secret));
    refused(await vouch(closed.gameSecret), 403, 'guests_forbidden');
    accepted(await vouch(ofServer.gameSecret), vouched);
  });

  test('by the operator, in all games, while a live guest can still get a wallet', async () => {
    const { gameId } = await server.createGame();
    const guest = await createGuest(gameId);
    await using off = await startTestServer({ GUESTS: 'off' });
    const there = await off.createGame();
    const post = apiOf(off).post;
    refused(await post('/launcher/create-guest', { gameId: there.gameId }), 403, 'guests_forbidden');
    refused(
      await post('/launcher/sign-in-guest', { gameId: there.gameId, deviceSecret: guest.deviceSecret }),
      403,
      'guests_forbidden',
    );
    refused(
      await post('/launcher/vouch-for-player', { playerId: 'x' }, bearer(there.gameSecret)),
      403,
      'guests_forbidden',
    );
    await server.services.db.write(changeGame, gameId, { policies: { guests: 'forbidden' } });
    accepted(await upgrade(guest.launcherJwt, newWallet()), signedIn);
  });
});
