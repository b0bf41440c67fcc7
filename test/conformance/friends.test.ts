import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { apiOf } from '../support/api.ts';
import { itRefuses, missing, pagingFaults } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId, gameSecret } = await server.createGame();
const launcherId = (await server.createGame({ kind: 'launcher' })).gameId;
const games = {
  all: await server.createGame({ policies: { friends: 'all' } }),
  none: await server.createGame({ policies: { friends: 'none' } }),
};

const player = z.strictObject({
  wallet: z.string(),
  userId: z.uuid(),
  username: z.string().min(1),
  avatar: z.url(),
  isGuest: z.boolean(),
});
const friend = player.extend({
  state: z.enum(['friend', 'sent', 'received']),
  favorite: z.boolean(),
  note: z.string(),
  message: z.string(),
  changedAt: z.int(),
});
const page = succeeded({ friends: z.array(friend), nextCursor: z.string(), more: z.boolean() });
const added = succeeded({ wallet: z.string(), state: z.enum(['friend', 'sent']) });
const done = succeeded({});
const invite = z.strictObject({
  ...{ inviteId: z.uuid(), from: z.string(), wallet: z.string(), gameId: z.uuid() },
  ...{ message: z.string(), createdAt: z.int(), expiresAt: z.int() },
});
const invited = succeeded({
  invites: z.array(invite),
  refused: z.array(z.strictObject({ wallet: z.string(), reason: z.string() })),
});

const open = (id = launcherId, wallet?: string) => server.openSession(id, wallet);
const call = ({ launcherJwt }: Pick<TestPlayer, 'launcherJwt'>, path: string, input: object = {}) =>
  api.post(`/launcher/${path}`, { ...input, launcherJwt });

async function befriend(ada: TestPlayer, grace: TestPlayer): Promise<void> {
  accepted(await call(ada, 'add-friend', { wallet: grace.wallet }), added);
  accepted(await call(grace, 'accept-friend-request', { wallet: ada.wallet }), done);
}

describe('friends', async () => {
  const someone = await open();

  it('are asked, listed, noted and removed, each field as documented', async () => {
    const [ada, grace] = [await open(), await open()];
    const input = { wallet: grace.wallet.toUpperCase().replace('0X', '0x'), message: 'Hello' };
    const sent = accepted(await call(ada, 'add-friend', input), added);
    expect(sent).toEqual({ success: true, wallet: grace.wallet, state: 'sent' });
    const received = accepted(await call(grace, 'list-friends', { state: 'received' }), page);
    expect(received).toMatchObject({ more: false, friends: [{ wallet: ada.wallet, message: 'Hello' }] });
    accepted(await call(grace, 'accept-friend-request', { wallet: ada.wallet }), done);
    const noted = succeeded({ favorite: z.literal(true), note: z.literal('From school') });
    const changes = { wallet: grace.wallet, favorite: true, note: 'From school' };
    accepted(await call(ada, 'update-friend', changes), noted);
    accepted(await call(ada, 'update-friend', { wallet: grace.wallet }), noted);
    expect(accepted(await call(ada, 'list-friends'), page).friends).toMatchObject([
      { wallet: grace.wallet, state: 'friend', favorite: true, note: 'From school', message: '' },
    ]);
    for (let n = 0; n < 2; n++) accepted(await call(ada, 'remove-friend', { wallet: grace.wallet }), done);
    expect(accepted(await call(grace, 'list-friends'), page).friends).toEqual([]);
  });

  it("are imported by the game's server, but not again after one of them has ended or declined that", async () => {
    const asServer = (path: string, input: object) =>
      api.post(`/launcher/${path}`, input, bearer(gameSecret));
    const vouched = async () => {
      const { body } = await asServer('vouch-for-player', { playerId: crypto.randomUUID() });
      return open(launcherId, z.looseObject({ wallet: z.string() }).parse(body).wallet);
    };
    const importing = async (one: TestPlayer, two: TestPlayer) =>
      (await asServer('import-friends', { wallet: one.wallet, players: [two.wallet] })).body;
    const refusal = (two: TestPlayer) => ({
      imported: 0,
      refused: [{ wallet: two.wallet, reason: 'requests_not_accepted' }],
    });
    const [ada, grace, eve] = [await vouched(), await vouched(), await vouched()];
    for (let n = 0; n < 2; n++) expect(await importing(ada, grace)).toMatchObject({ imported: 1 });
    accepted(await call(grace, 'remove-friend', { wallet: ada.wallet }), done);
    expect(await importing(ada, grace)).toMatchObject(refusal(grace));
    expect(await importing(grace, ada)).toMatchObject(refusal(ada));
    accepted(await call(eve, 'add-friend', { wallet: grace.wallet }), added);
    accepted(await call(grace, 'decline-friend-request', { wallet: eve.wallet }), done);
    expect(await importing(eve, grace)).toMatchObject(refusal(grace));
    expect(accepted(await call(grace, 'list-friends'), page).friends).toEqual([]);
    await befriend(grace, ada);
    expect(await importing(ada, grace)).toMatchObject({ imported: 1 });
  });

  it('are not oneself, nor an unknown player, and a code names one player', async () => {
    const ada = await open();
    refused(await call(ada, 'add-friend', { wallet: ada.wallet }), 400, 'input_invalid', 'wallet');
    refused(await call(ada, 'add-friend', { wallet: randomWallet() }), 400, 'player_unknown');
    const friendCode = '00000000';
    refused(await call(ada, 'add-friend', { friendCode }), 400, 'friend_code_unknown');
    const both = { wallet: someone.wallet, friendCode };
    refused(await call(ada, 'add-friend', both), 400, 'input_invalid', 'wallet');
    refused(await call(ada, 'add-friend'), 400, 'input_invalid', 'wallet');
    const code = succeeded({ friendCode: z.string() });
    const mine = accepted(await call(ada, 'get-friend-code'), code);
    refused(await call(ada, 'add-friend', { friendCode: mine.friendCode }), 400, 'input_invalid', 'wallet');
    const spelled = mine.friendCode.toLowerCase().replace(/^..../, '$& - ');
    expect(accepted(await call(someone, 'add-friend', { friendCode: spelled }), added)).toMatchObject({
      wallet: ada.wallet,
    });
    accepted(await call(ada, 'reset-friend-code'), code);
    refused(await call(await open(), 'add-friend', { friendCode: spelled }), 400, 'friend_code_unknown');
  });

  const token = () => ({ launcherJwt: someone.launcherJwt, wallet: someone.wallet });
  const wallets = [missing, 'ada', '0x12', 7, null, {}].map(
    (value) => ['wallet', value, 'address_invalid'] as const,
  );
  for (const path of ['accept-friend-request', 'decline-friend-request', 'remove-friend', 'update-friend'])
    itRefuses(
      api,
      `/launcher/${path}`,
      token,
      wallets.map((one) => [...one]),
    );
  itRefuses(api, '/launcher/add-friend', token, [
    ['message', 7, 'input_invalid'],
    ['message', 'x'.repeat(141), 'input_invalid'],
    ['friendCode', 'UUUUUUUU', 'input_invalid'],
  ]);
  itRefuses(api, '/launcher/update-friend', token, [
    ['favorite', 'yes', 'input_invalid'],
    ['note', 'x'.repeat(101), 'input_invalid'],
  ]);
  itRefuses(api, '/launcher/list-friends', token, [
    ['state', 'declined', 'input_invalid'],
    ['cursor', 'x', 'paging_invalid'],
    ...pagingFaults.filter(([field]) => field === 'limit'),
  ]);
  itRefuses(api, '/launcher/set-privacy', token, [
    ['requests', 'friends', 'input_invalid'],
    ['presence', 'everyone', 'input_invalid'],
    ['showGame', 'yes', 'input_invalid'],
    ['invites', 'everyone', 'input_invalid'],
  ]);
  itRefuses(api, '/launcher/search-players', () => ({ ...token(), query: 'ada' }), [
    ['query', 'ab', 'input_invalid'],
    ['query', 'x'.repeat(41), 'input_invalid'],
    ['limit', 21, 'input_invalid'],
  ]);
  itRefuses(api, '/launcher/send-invite', () => ({ ...token(), wallets: [someone.wallet], gameId }), [
    ['wallets', [], 'input_invalid'],
    ['wallets', Array.from({ length: 21 }, randomWallet), 'input_invalid'],
    ['connect', 'x'.repeat(257), 'input_invalid'],
    ['message', 'x'.repeat(141), 'input_invalid'],
    ['gameId', launcherId, 'input_invalid'],
    ['gameId', missing, 'input_invalid'],
  ]);
});

describe('what a game may know of friends', () => {
  it('follows its policy: none, those in the game, or all; for sessions and for its server', async () => {
    const ada = await open();
    const inGame = await open(gameId, ada.wallet);
    const inAll = await open(games.all.gameId, ada.wallet);
    const inNone = await open(games.none.gameId, ada.wallet);
    const [here, outside] = [await open(), await open()];
    await open(gameId, here.wallet);
    for (const one of [here, outside]) await befriend(one, ada);
    const listed = async (answer: ReturnType<typeof call>) =>
      accepted(await answer, page)
        .friends.map(({ wallet }) => wallet)
        .toSorted();
    const both = [here.wallet, outside.wallet].toSorted();
    expect(await listed(call(ada, 'list-friends'))).toEqual(both);
    expect(await listed(call(inAll, 'list-friends'))).toEqual(both);
    expect(await listed(call(inGame, 'list-friends'))).toEqual([here.wallet]);
    const byServer = (secret: string) =>
      api.post('/launcher/list-friends', { wallet: ada.wallet }, bearer(secret));
    expect(await listed(byServer(gameSecret))).toEqual([here.wallet]);
    expect(await listed(byServer(games.all.gameSecret))).toEqual([]);
    refused(await byServer(games.none.gameSecret), 403, 'friends_forbidden');

    for (const [path, input] of Object.entries({
      'list-friends': {},
      'add-friend': { wallet: here.wallet },
      'accept-friend-request': { wallet: here.wallet },
      'decline-friend-request': { wallet: here.wallet },
      'remove-friend': { wallet: here.wallet },
      'update-friend': { wallet: here.wallet },
      'get-friend-code': {},
      'reset-friend-code': {},
      'get-privacy': {},
      'set-privacy': {},
      'list-invites': {},
      'send-invite': { wallets: [here.wallet] },
    })) {
      refused(await call(inNone, path, input), 403, 'friends_forbidden');
      if (!('wallet' in input)) continue;
      refused(await call(inGame, path, { wallet: outside.wallet }), 400, 'player_unknown');
    }
    for (const path of ['reset-friend-code', 'get-privacy', 'set-privacy']) {
      refused(await call(inGame, path), 403, 'friends_forbidden');
      expect([path, (await call(inAll, path)).status]).toEqual([path, 200]);
    }
  });

  it('guests have friends as others do', async () => {
    const opened = await api.post('/launcher/create-guest', { gameId: launcherId });
    if (opened.status !== 200) return expect(opened.body).toBe('a guest');
    const guest = Object(opened.body) as TestPlayer;
    const ada = await open();
    accepted(await call(guest, 'add-friend', { wallet: ada.wallet }), added);
    const { friends } = accepted(await call(ada, 'list-friends'), page);
    expect(friends).toMatchObject([{ isGuest: true, state: 'received' }]);
  });
});

describe('invites', () => {
  it('are sent from a game to its players, accepted once, and name the game to open', async () => {
    const [ada, grace] = [await open(), await open()];
    await befriend(ada, grace);
    const inGame = await open(gameId, ada.wallet);
    await open(gameId, grace.wallet);
    const wallets = [grace.wallet, ada.wallet, grace.wallet];
    const sent = accepted(await call(inGame, 'send-invite', { wallets, connect: 'room 1' }), invited);
    expect(sent).toMatchObject({
      refused: [],
      invites: [{ from: ada.wallet, wallet: grace.wallet, gameId }],
    });
    const inviteId = sent.invites[0]?.inviteId;
    const lists = succeeded({ received: z.array(invite), sent: z.array(invite) });
    expect(accepted(await call(grace, 'list-invites'), lists)).toMatchObject({
      received: [{ inviteId }],
      sent: [],
    });
    refused(await call(ada, 'respond-to-invite', { inviteId, accept: true }), 400, 'invite_unknown');
    const launch = z.strictObject({ gameId: z.uuid(), url: z.string() });
    const answer = await call(grace, 'respond-to-invite', { inviteId, accept: true });
    expect(accepted(answer, succeeded({ launch, connect: z.string() }))).toMatchObject({
      launch: { gameId },
      connect: 'room 1',
    });
    refused(await call(grace, 'respond-to-invite', { inviteId, accept: true }), 400, 'invite_unknown');
    const elsewhere = { wallets, gameId: games.all.gameId };
    refused(await call(inGame, 'send-invite', elsewhere), 401, 'not_a_launcher');
    const declined = accepted(await call(inGame, 'send-invite', { wallets }), invited).invites[0]?.inviteId;
    accepted(await call(grace, 'respond-to-invite', { inviteId: declined, accept: false }), done);
    const again = accepted(await call(inGame, 'send-invite', { wallets }), invited).invites[0]?.inviteId;
    refused(await call(grace, 'cancel-invite', { inviteId: again }), 400, 'invite_unknown');
    accepted(await call(ada, 'cancel-invite', { inviteId: again }), done);
  });
});

describe('the rule trigger gantry.friend_added', () => {
  it('fires once for each of the two, and no caller can report it', async () => {
    const { gameId: id } = await server.createGame();
    const notify = { type: 'Notify', message: 'A friend' };
    const rules = [{ trigger: 'gantry.friend_added', actions: [notify] }];
    await server.services.db.write(replaceRules, id, ruleList.parse(rules));
    const [ada, grace] = [await open(id), await open(id)];
    await befriend(ada, grace);
    accepted(await call(grace, 'accept-friend-request', { wallet: ada.wallet }), done);
    accepted(await call(ada, 'add-friend', { wallet: grace.wallet }), added);
    for (const { wallet } of [ada, grace]) {
      const text = 'SELECT message FROM notifications WHERE wallet = @wallet';
      expect(await rowsIn(server.services.db, text, { wallet })).toEqual([{ message: 'A friend' }]);
    }
    for (const trigger of ['gantry.friend_added', 'gantry.anything']) {
      refused(await call(ada, 'trigger-rules-engine', { trigger }), 400, 'input_invalid', 'trigger');
    }
  });
});
