import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import { setRules } from '../../src/features/rules/operations/rules.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { scoreRecord, succeeded } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { db } = server.services;
const { gameId, gameSecret } = await server.createGame({ name: 'Orbit', url: 'https://orbit.example/play' });
const done = succeeded({});

/** Calls as the game's server. */
const asServer = (path: string, body: object) => api.post(`/launcher/${path}`, body, bearer(gameSecret));

describe("a game's server with the secret alone", () => {
  it('plays a whole match: session, states, scores, rules, activities, notifications, and the end', async () => {
    const admin = overHttp({ url: server.url, adminToken: server.adminToken });
    const actions = [{ type: 'Notify' as const, message: 'You won', notificationType: 'success' as const }];
    await admin.call(setRules, { gameId, rules: [{ trigger: 'win', actions }] });
    const wallet = randomWallet();
    const sessionId = crypto.randomUUID();
    const { launcherJwt, url } = accepted(
      await asServer('open-channel-session', { wallet }),
      succeeded({ launcherJwt: z.string(), url: z.string() }),
    );
    expect(url).toBe(`https://orbit.example/play?token=${launcherJwt}`);
    accepted(await asServer('track-game-sessions', { wallet, sessionId, state: '{"round":1}' }), done);
    accepted(
      await asServer('set-state', { wallet, label: 'save', state: '{"level":3}' }),
      succeeded({ newState: z.looseObject({ normalizedAddress: z.literal(wallet) }) }),
    );
    accepted(
      await asServer('set-user-score', { wallet, score: 120, nonce: 'final' }),
      succeeded({ newScore: scoreRecord }),
    );
    accepted(
      await asServer('trigger-rules-engine', { wallet, trigger: 'win' }),
      succeeded({ triggerUuid: z.string(), actions: z.tuple([z.literal('Notify')]) }),
    );
    accepted(
      await asServer('send-custom-activity', { wallet, label: '{wallet} won', eventId: 'match' }),
      succeeded({ activity: z.looseObject({ normalizedAddress: z.literal(wallet) }) }),
    );
    accepted(await asServer('send-notification', { wallet, message: 'Well played', type: 'success' }), done);
    const read = accepted(
      await asServer('get-user-score', { wallet, nonce: 'final' }),
      succeeded({ score: scoreRecord.nullable() }),
    );
    expect(read.score).toMatchObject({ score: 120, normalizedAddress: wallet, gameId });
    const { states } = accepted(
      await asServer('get-states', { wallet }),
      succeeded({ states: z.array(z.looseObject({ state: z.unknown() })) }),
    );
    expect(states.map(({ state }) => state)).toEqual([{ level: 3 }]);
    const endTime = Date.now() + 1000;
    accepted(await asServer('track-game-sessions', { wallet, sessionId, state: '{}', endTime }), done);
    const { sessions } = accepted(
      await asServer('list-channel-sessions', { wallet }),
      succeeded({ sessions: z.array(z.looseObject({ gameId: z.literal(gameId) })) }),
    );
    expect(sessions).toHaveLength(1);
    accepted(await asServer('revoke-channel-session', { wallet }), succeeded({ ended: z.literal(1) }));
    refused(await api.post('/launcher/get-user-score', { launcherJwt }), 401, 'session_ended');
    const messages = await rowsIn(db, 'SELECT message FROM notifications WHERE wallet = @wallet', { wallet });
    expect(messages).toEqual(expect.arrayContaining([{ message: 'You won' }, { message: 'Well played' }]));
  });

  it('may give the wallet in any letter case, and use method dispatch with GET', async () => {
    const wallet = randomWallet();
    await asServer('set-user-score', { wallet: wallet.toUpperCase().replace('0X', '0x'), score: 5 });
    const found = await api.get(`/launcher?wallet=${wallet}`, {
      'X-Service-Method': 'getUserScore',
      ...bearer(gameSecret),
    });
    expect(accepted(found, succeeded({ score: scoreRecord })).score.score).toBe(5);
  });

  it.each([
    ['0x12', 'address_invalid'],
    ['0xAbcdefabcdefabcdefabcdefabcdefabcdefabcdE', 'address_invalid'],
    [12, 'address_invalid'],
  ] as const)('is told what is wrong with the wallet %s', async (wallet, reason) => {
    const answer = await asServer('get-user-score', { wallet });
    refused(answer, 400, reason);
    expect(answer.body).toMatchObject({ errors: [{ path: 'wallet' }] });
  });

  it.each([undefined, null, ''])(
    'must send a token or a wallet; without either it is refused (%s)',
    async (wallet) => {
      refused(await asServer('get-user-score', { wallet }), 401, 'token_missing');
    },
  );

  it('creates a player with its first write, and reads nothing of an unknown one', async () => {
    const wallet = randomWallet();
    const none = accepted(await asServer('get-user-score', { wallet }), succeeded({ score: z.null() }));
    expect(none.score).toBeNull();
    const players = () => rowsIn(db, 'SELECT wallet FROM players WHERE wallet = @wallet', { wallet });
    expect(await players()).toEqual([]);
    refused(await asServer('set-user-score', { wallet, score: 'many' }), 400, 'score_not_integer');
    expect(await players()).toEqual([]);
    await asServer('set-user-score', { wallet, score: 1 });
    expect(await players()).toEqual([{ wallet }]);
    const { leaderboard } = accepted(
      await api.post('/launcher/get-game-scores-leaderboard', { gameId, limit: 250 }),
      succeeded({
        leaderboard: z.array(z.looseObject({ normalizedAddress: z.string(), username: z.string() })),
      }),
    );
    expect(leaderboard.find((row) => row.normalizedAddress === wallet)?.username).toMatch(/^0x.{4}…/);
  });

  it('does not override a token: the token is the player, whatever wallet is sent beside it', async () => {
    const player = await server.openSession(gameId);
    const { launcherJwt } = player;
    const wallet = randomWallet();
    const { newScore } = accepted(
      await asServer('set-user-score', { launcherJwt, wallet, score: 7 }),
      succeeded({ newScore: scoreRecord }),
    );
    expect(newScore.normalizedAddress).toBe(player.wallet);
  });

  it('reads the messages that the player may see, and no others', async () => {
    const [ada, bob] = [await server.openSession(gameId), await server.openSession(gameId)];
    const channel = z.looseObject({ _id: z.string() });
    const { _id: channelId } = accepted(
      await api.post('/launcher/create-message-channel', {
        launcherJwt: ada.launcherJwt,
        otherParticipants: [bob.wallet],
      }),
      channel,
    );
    await api.post('/launcher/send-channel-message', {
      launcherJwt: ada.launcherJwt,
      channelId,
      content: 'Hi',
    });
    const page = z.object({
      total: z.literal(1),
      limit: z.int(),
      skip: z.int(),
      data: z.array(z.looseObject({ content: z.string() })),
    });
    const { data } = accepted(
      await asServer('get-channel-messages', { wallet: bob.wallet, channelId }),
      page,
    );
    expect(data.map(({ content }) => content)).toEqual(['Hi']);
    const stranger = randomWallet();
    refused(await asServer('get-channel-messages', { wallet: stranger, channelId }), 400, 'channel_unknown');
    refused(
      await asServer('send-channel-message', { wallet: bob.wallet, channelId, content: 'not mine' }),
      401,
      'token_missing',
    );
  });
});

describe('notifyPlayers', () => {
  const body = (wallets: unknown) => ({ wallets, message: 'The match begins', type: 'success' });

  it('notifies each of a hundred players, known or not, and pushes to launchers', async () => {
    const known = await server.openSession(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: known.launcherJwt });
    const wallets = [known.wallet, ...Array.from({ length: 99 }, randomWallet)];
    const { banned } = accepted(
      await asServer('notify-players', body(wallets)),
      succeeded({ banned: z.array(z.string()) }),
    );
    expect(banned).toEqual([]);
    const kept = await rowsIn(
      db,
      "SELECT wallet FROM notifications WHERE message = 'The match begins' AND game_id = @gameId",
      { gameId },
    );
    expect(kept.map((row) => Object(row).wallet).sort()).toEqual(wallets.toSorted());
    expect((await launcher.waitForEvent('notifications created')).record).toMatchObject({
      message: 'The match begins',
    });
  });

  it.each([
    ['nobody', []],
    ['more than a hundred', Array.from({ length: 101 }, randomWallet)],
    ['one twice', ['0xab'.padEnd(42, '1'), '0xAB'.padEnd(42, '1')]],
  ])('refuses %s', async (_what, wallets) => {
    refused(await asServer('notify-players', body(wallets)), 400, 'input_invalid');
  });

  it('refuses an invalid address', async () => {
    refused(await asServer('notify-players', body(['0x12'])), 400, 'address_invalid');
  });
});

describe('updatePlayerProfile', () => {
  const vouchedFor = async (playerId: string) => {
    const vouched = z.looseObject({ wallet: z.string() });
    return vouched.parse((await asServer('vouch-for-player', { playerId })).body).wallet;
  };

  it('names a guest the server vouches for, and removes the name', async () => {
    const wallet = await vouchedFor('grace');
    const named = succeeded({ wallet: z.string(), userId: z.string(), username: z.string() });
    const first = accepted(await asServer('update-player-profile', { wallet, username: 'Grace' }), named);
    expect(first).toMatchObject({ wallet, username: 'Grace' });
    const second = accepted(await asServer('update-player-profile', { wallet, username: '' }), named);
    expect(second).toEqual({ ...first, username: '' });
  });

  it('refuses a name that is too long', async () => {
    const body = { wallet: await vouchedFor('long'), username: 'x'.repeat(41) };
    refused(await asServer('update-player-profile', body), 400, 'input_invalid');
  });

  it('refuses players whom the server does not vouch for: their name is shown in every game', async () => {
    const { post } = api;
    const guest = z.looseObject({ wallet: z.string() });
    const created = guest.parse((await post('/launcher/create-guest', { gameId })).body).wallet;
    const other = await server.createGame();
    const elsewhere = guest.parse(
      (await post('/launcher/vouch-for-player', { playerId: 'grace' }, bearer(other.gameSecret))).body,
    ).wallet;
    const { wallet } = await server.openSession(gameId);
    for (const named of [wallet, created, elsewhere, randomWallet(), newGuestAddress()]) {
      const answer = await asServer('update-player-profile', { wallet: named, username: 'Impostor' });
      refused(answer, 401, 'sign_in_required');
    }
  });
});

describe('getPlayerPresence', () => {
  it('returns who is online, in the requested order', async () => {
    const [here, away] = [await server.openSession(gameId), await server.openSession(gameId)];
    using launcher = await connectLauncher(server.url, { launcherJwt: here.launcherJwt });
    await launcher.streams();
    const unknown = randomWallet();
    const seen = await until('presence', async () => {
      const { players } = accepted(
        await asServer('get-player-presence', { wallets: [away.wallet, here.wallet, unknown] }),
        succeeded({
          players: z.array(z.object({ wallet: z.string(), present: z.boolean(), sessions: z.int() })),
        }),
      );
      return players[1]?.present ? players : undefined;
    });
    expect(seen).toEqual([
      { wallet: away.wallet, present: false, sessions: 1 },
      { wallet: here.wallet, present: true, sessions: 1 },
      { wallet: unknown, present: false, sessions: 0 },
    ]);
  });
});
