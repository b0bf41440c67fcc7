import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import { command, type Steps } from '../../../src/core/storage/command.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { ban } from '../../../src/features/administration/commands.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { readPlayerExport } from '../../../src/features/administration/player-export.ts';
import { eventsOfStream } from '../../../src/features/events/queries.ts';
import {
  acceptFriend,
  blockEverywhere,
  declineFriend,
  endFriendship,
  importFriend,
  removeFriend,
  trimFriendships,
  updateFriend,
} from '../../../src/features/friends/commands.ts';
import { maxFriends, maxReceived, maxSent, never } from '../../../src/features/friends/friend.ts';
import { friendCodeInput } from '../../../src/features/friends/friend-code.ts';
import { giveFriendCode } from '../../../src/features/friends/friend-code-commands.ts';
import { inviteLifetimeMs, maxOpenInvites } from '../../../src/features/friends/invite.ts';
import {
  answerInvite,
  cancelInvite,
  sendInvites,
  trimInvites,
} from '../../../src/features/friends/invite-commands.ts';
import type { PrivacyChanges } from '../../../src/features/friends/privacy.ts';
import { setPrivacy } from '../../../src/features/friends/privacy-commands.ts';
import {
  areInGame,
  countFriendships,
  findByFriendCode,
  friendWallets,
  openInvites,
  playersWhoOpened,
  privacyOf,
  searchByName,
  visiblePlayers,
} from '../../../src/features/friends/queries.ts';
import { addGuest, playerKeyOf, vouchForPlayer } from '../../../src/features/guests/commands.ts';
import { block, unblock } from '../../../src/features/messages/blocks/commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { renewSession, startSession, trimSessions } from '../../../src/features/sessions/commands.ts';
import { requestSignIn } from '../../../src/features/sessions/sign-in-commands.ts';
import { openedGames } from '../../../src/features/sessions/tables.ts';
import { addWebhook } from '../../../src/features/webhooks/commands.ts';
import { readDeliveries } from '../../../src/features/webhooks/queries.ts';
import { upgradeGuest } from '../../../src/server/declarations/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import type { ParsedEvent } from '../../support/parsed-events.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';
import {
  addGame,
  addPlayer,
  type DatabaseUnderTest,
  hour,
  listen,
  nowAndReopened,
  type OpenStore,
  wholePage,
} from './fixture.ts';
import { ask, befriend, between, fillFriends, inProcess, listed, pair } from './friend-pairs.ts';

const day = 24 * hour;

/** The contract of commands and queries about friends, requests, privacy, codes and invites. */
export function friendsContract(open: OpenStore): void {
  describe('friends', () => {
    test('a request is sent once, and becomes a friendship when it is accepted', async () => {
      await using fixture = await open();
      const { clock } = fixture;
      const { ada, grace } = await pair(fixture.db);
      const before = listen(fixture.db);
      expect(await ask(fixture.db, ada, grace, { message: 'Hello' })).toBe('sent');
      expect(await ask(fixture.db, ada, grace, { message: 'Hello again' })).toBe('sent');
      for await (const one of nowAndReopened(fixture)) {
        expect(await between(one, ada, grace)).toEqual(['sent', 'received']);
        expect(await listOf(one, grace)).toEqual([['received', ada, 'Hello']]);
        expect(await one.read(friendWallets, ada)).toEqual([]);
      }
      clock.advance(1);
      const { db } = fixture;
      const after = listen(db);
      for (let n = 0; n < 2; n++) await db.write(acceptFriend, grace, ada);
      expect(await ask(db, ada, grace)).toBe('friend');
      expect(await between(db, ada, grace)).toEqual(['friend', 'friend']);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(friendWallets, ada)).toEqual([grace]);
        expect(await one.read(friendWallets, grace)).toEqual([ada]);
      }
      for (const [wallet, state] of [
        [ada, 'sent'],
        [grace, 'received'],
      ] as const) {
        expect(eventsOf(before, wallet)).toEqual([['friends created', state, 'Hello']]);
        expect(eventsOf(after, wallet)).toEqual([['friends patched', 'friend', '']]);
      }
    });

    test('requests that cross become one friendship', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace } = await pair(db);
      const received = listen(db);
      expect([await ask(db, ada, grace), await ask(db, grace, ada)]).toEqual(['sent', 'friend']);
      expect(await between(db, ada, grace)).toEqual(['friend', 'friend']);
      expect(eventsOf(received, ada).map(([name]) => name)).toEqual(['friends created', 'friends patched']);
      expect(eventsOf(received, grace)).toEqual(
        eventsOf(received, ada).map(([name, state]) => [name, state === 'sent' ? 'received' : state, '']),
      );
    });

    test('what does not fit is refused, and changes nothing', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace } = await pair(db);
      const unknown = randomWallet();
      const received = listen(db);
      for (const [attempt, reason] of [
        [() => ask(db, ada, unknown), 'player_unknown'],
        [() => ask(db, ada, newGuestAddress()), 'player_unknown'],
        [() => db.write(acceptFriend, ada, grace), 'friend_request_unknown'],
        [() => db.write(declineFriend, ada, grace), 'friend_request_unknown'],
        [() => db.write(updateFriend, ada, grace, { favorite: true }), 'not_a_friend'],
        [() => db.write(endFriendship, ada, grace), 'not_a_friend'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
      await db.write(removeFriend, ada, grace);
      expect(received).toEqual([]);
      await ask(db, ada, grace);
      for (const [attempt, reason] of [
        [() => db.write(acceptFriend, ada, grace), 'friend_request_unknown'],
        [() => db.write(declineFriend, ada, grace), 'friend_request_unknown'],
        [() => db.write(removeFriend, grace, ada), 'friend_request_unknown'],
        [() => db.write(updateFriend, grace, ada, { note: 'hm' }), 'not_a_friend'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
      expect(await between(db, ada, grace)).toEqual(['sent', 'received']);
    });

    test('a request that is cancelled, and a friendship that is removed, end for both', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace } = await pair(db);
      const received = listen(db);
      await ask(db, ada, grace, { message: 'Hello' });
      for (let n = 0; n < 2; n++) await db.write(removeFriend, ada, grace);
      await expect(db.write(acceptFriend, grace, ada)).rejects.toMatchObject({
        reason: 'friend_request_unknown',
      });
      expect([await listOf(db, ada), await listOf(db, grace)]).toEqual([[], []]);
      await befriend(db, grace, ada);
      await db.write(updateFriend, ada, grace, { favorite: true, note: 'From school' });
      for (let n = 0; n < 2; n++) await db.write(removeFriend, ada, grace);
      expect([await listOf(db, ada), await listOf(db, grace)]).toEqual([[], []]);
      expect([await db.read(friendWallets, ada), await db.read(friendWallets, grace)]).toEqual([[], []]);
      expect(eventsOf(received, grace)).toEqual([
        ['friends created', 'received', 'Hello'],
        ['friends removed', 'received', 'Hello'],
        ['friends created', 'sent', ''],
        ['friends patched', 'friend', ''],
        ['friends removed', 'friend', ''],
      ]);
      expect(eventsOf(received, ada).map(([name]) => name)).toEqual([
        'friends created',
        'friends removed',
        'friends created',
        'friends patched',
        'friends patched',
        'friends removed',
      ]);
      await befriend(db, ada, grace); // without what was noted
      expect(await listed(db, ada)).toMatchObject([{ favorite: 0, note: '' }]);
      await db.write(endFriendship, ada, grace);
      expect(await between(db, ada, grace)).toEqual([undefined, undefined]);
    });

    test('a favorite and a note are the player’s own; writing the same again changes nothing', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace } = await pair(db);
      await befriend(db, ada, grace);
      const received = listen(db);
      await db.write(updateFriend, ada, grace, { favorite: true });
      await db.write(updateFriend, ada, grace, { note: 'From school' });
      await db.write(updateFriend, ada, grace, { favorite: true, note: 'From school' });
      expect(received.map(({ name, stream, record }) => [name, stream, record])).toMatchObject([
        ['friends patched', `account:${ada}`, { favorite: true, note: '' }],
        ['friends patched', `account:${ada}`, { favorite: true, note: 'From school' }],
      ]);
      expect(await listed(db, ada)).toMatchObject([{ favorite: 1, note: 'From school' }]);
      expect(await listed(db, grace)).toMatchObject([{ favorite: 0, note: '' }]);
    });

    test('who declines hears nothing of the sender for 30 days, and the sender nothing of that', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace } = await pair(db);
      await ask(db, ada, grace);
      const received = listen(db);
      await db.write(declineFriend, grace, ada);
      expect(eventsOf(received, ada)).toEqual([]);
      expect(eventsOf(received, grace)).toEqual([['friends removed', 'received', '']]);
      received.length = 0;
      clock.advance(30 * day - 1);
      expect(await ask(db, ada, grace)).toBe('sent');
      await db.write(removeFriend, ada, grace);
      expect(await ask(db, ada, grace)).toBe('sent');
      expect(eventsOf(received, grace)).toEqual([]);
      await db.write(removeFriend, grace, ada); // which must not end the request that she has declined
      expect(await between(db, ada, grace)).toEqual(['sent', undefined]);
      clock.advance(1);
      expect(await ask(db, ada, grace)).toBe('sent');
      expect(eventsOf(received, grace)).toEqual([['friends created', 'received', '']]);
      await db.write(acceptFriend, grace, ada);
      expect(await between(db, ada, grace)).toEqual(['friend', 'friend']);
    });

    test('who has declined a request may accept it by asking', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace } = await pair(db);
      await ask(db, ada, grace);
      await db.write(declineFriend, grace, ada);
      expect(await ask(db, grace, ada)).toBe('friend');
      expect(await between(db, ada, grace)).toEqual(['friend', 'friend']);
    });

    test('a request expires after 90 days, whether or not the row has been deleted', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace } = await pair(db);
      await ask(db, ada, grace);
      clock.advance(90 * day - 1);
      expect(await between(db, ada, grace)).toEqual(['sent', 'received']);
      clock.advance(1);
      expect([await listOf(db, ada), await listOf(db, grace)]).toEqual([[], []]);
      expect(await db.read(countFriendships, grace)).toEqual({ friend: 0, sent: 0, received: 0 });
      await expect(db.write(acceptFriend, grace, ada)).rejects.toMatchObject({
        reason: 'friend_request_unknown',
      });
      const received = listen(db);
      await db.write(removeFriend, ada, grace);
      expect(received).toEqual([]);
      expect(await ask(db, grace, ada)).toBe('sent');
      expect(received.map(({ name }) => name)).toEqual(['friends created', 'friends created']);
      expect(await between(db, ada, grace)).toEqual(['received', 'sent']);
    });

    test('rows that have expired are deleted in batches, friends never', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { ada, grace, linus } = await pair(db);
      await befriend(db, ada, grace);
      await ask(db, ada, linus);
      await (await inProcess(fixture)).write(fillFriends, ada, 'received', 450, clock.now + 90 * day);
      clock.advance(90 * day);
      const more: boolean[] = [];
      while (more.at(-1) !== false) more.push(await db.write(trimFriendships));
      expect(more).toEqual([true, true, false]);
      const rows = await rowsIn(db, 'SELECT state FROM friendships', {});
      expect(rows).toEqual([{ state: 'friend' }, { state: 'friend' }]);
      expect(await db.read(friendWallets, ada)).toEqual([grace]);
    });

    test('a player has at most 500 friends, sends 100 requests and receives 500', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      const filling = await inProcess(fixture);
      const expiresAt = clock.now + day;
      const limit = { reason: 'friend_limit_reached' };
      await filling.write(fillFriends, ada, 'sent', maxSent - 1, expiresAt);
      expect(await ask(db, ada, grace)).toBe('sent');
      expect(await ask(db, ada, grace)).toBe('sent');
      await expect(ask(db, ada, linus)).rejects.toMatchObject(limit);
      expect(await db.read(countFriendships, ada)).toEqual({ friend: 0, sent: maxSent, received: 0 });
      await db.write(removeFriend, ada, grace);
      expect(await ask(db, ada, linus)).toBe('sent');

      await filling.write(fillFriends, grace, 'received', maxReceived - 1, expiresAt);
      const margaret = (await addPlayer(db, gameId)).wallet;
      expect(await ask(db, margaret, grace)).toBe('sent');
      await expect(ask(db, linus, grace)).rejects.toMatchObject(limit);
      expect(await between(db, linus, grace)).toEqual([undefined, undefined]);

      await filling.write(fillFriends, margaret, 'friend', maxFriends - 1, never);
      await ask(db, linus, margaret);
      await db.write(acceptFriend, grace, margaret);
      expect(await db.read(countFriendships, margaret)).toEqual({
        friend: maxFriends,
        sent: 0,
        received: 1,
      });
      await expect(db.write(acceptFriend, margaret, linus)).rejects.toMatchObject(limit);
      await expect(ask(db, margaret, ada)).rejects.toMatchObject(limit);
      expect(await between(db, linus, margaret)).toEqual(['sent', 'received']);
      await db.write(removeFriend, grace, margaret);
      await db.write(acceptFriend, margaret, linus);
      expect(await db.read(friendWallets, margaret)).toHaveLength(maxFriends);
    });

    test('lists are paged, by state and by game, latest change first', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, gameId } = await pair(db);
      const { id: elsewhere } = await addGame(db);
      const others: string[] = [];
      for (let n = 0; n < 9; n++) {
        const { wallet } = await addPlayer(db, n % 3 === 0 ? elsewhere : gameId);
        if (n % 3 === 1) await ask(db, ada, wallet);
        else await befriend(db, wallet, ada);
        if (n % 2 === 0) clock.advance(1);
        others.unshift(wallet);
      }
      for await (const one of nowAndReopened(fixture)) {
        const all = await listed(one, ada);
        expect(all.map(({ other }) => other).toSorted()).toEqual(others.toSorted());
        const times = all.map(({ changedAt }) => changedAt);
        expect(times).toEqual(times.toSorted((a, b) => b - a));
        for (const limit of [1, 2, 4]) {
          expect(await listed(one, ada, { limit })).toEqual(all);
        }
        const friends = all.filter(({ state }) => state === 'friend');
        expect(friends).toHaveLength(6);
        expect(await listed(one, ada, { state: 'friend', limit: 2 })).toEqual(friends);
        expect(await listed(one, ada, { gameId: elsewhere, limit: 2 })).toHaveLength(3);
        expect(await listed(one, ada, { gameId, state: 'sent', limit: 2 })).toHaveLength(3);
        expect(await listed(one, ada, { gameId: randomUUID() })).toEqual([]);
        expect((await one.read(areInGame, elsewhere, others)).toSorted()).toEqual(
          others.filter((_, at) => at % 3 === 2).toSorted(),
        );
      }
    });

    test('those in a game are who opened it or whom its server vouches for, however long ago; not whom it wrote a score for', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      const brought = randomWallet();
      await db.write(setScore, { gameId, wallet: brought }, 1);
      await db.write(startSession, { gameId, wallet: brought }, hour, 'game-server');
      const { id: elsewhere } = await addGame(db);
      const playerKey = playerKeyOf(elsewhere, randomUUID());
      const guest = { address: newGuestAddress(), idleMs: hour };
      const made = await db.write(vouchForPlayer, { gameId: elsewhere, playerKey }, guest, hour);
      const vouched = made.details.player.wallet;
      const all = [grace, linus, brought, vouched];
      for (const one of all) await befriend(db, one, ada);
      while (await db.write(trimSessions, -2 * hour)) {}
      for await (const one of nowAndReopened(fixture)) {
        for (const wallet of all) {
          const sessions = 'SELECT id FROM channel_sessions WHERE wallet = @wallet';
          expect(await rowsIn(one, sessions, { wallet })).toEqual([]);
        }
        for (const [game, expected] of [
          [gameId, [grace, linus]],
          [elsewhere, [vouched]],
          [randomUUID(), []],
        ] as const) {
          expect((await one.read(playersWhoOpened, game, all)).toSorted()).toEqual([...expected].toSorted());
          const inGame = await listed(one, ada, { gameId: game });
          expect(inGame.map(({ other }) => other).toSorted()).toEqual([...expected].toSorted());
        }
      }
      await erasePlayerData(fixture.db, tables, grace);
      expect(await fixture.db.read(playersWhoOpened, gameId, all)).toEqual([linus]);
    });

    test('a session that a node of the version before opened counts once it is renewed, but not one by a server', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const [player, brought] = [randomWallet(), randomWallet()];
      const own = await db.write(startSession, { gameId, wallet: player }, hour, 'wallet');
      const byServer = await db.write(startSession, { gameId, wallet: brought }, hour, 'game-server');
      await (await inProcess(fixture)).write(forgetOpened, player, gameId);
      const opened = () => db.read(playersWhoOpened, gameId, [player, brought]);
      expect(await opened()).toEqual([]);
      for (const { session } of [own, byServer]) {
        await db.write(renewSession, session.id, { lifetimeMs: hour, renewalMs: day });
      }
      expect(await opened()).toEqual([player]);
    });
  });

  describe('blocks everywhere and friends', () => {
    test.each([
      ['waits', async () => {}],
      ['declines', (db: Store, me: string, by: string) => db.write(declineFriend, me, by)],
      ['declines, then removes', declineAndRemove],
      ['blocks', blockIn],
      ['had blocked before', async () => {}],
      ['blocks in the game of the sender', async () => {}],
      ['blocks, then unblocks', blockAndUnblock],
      ['blocks, and removes the sender', blockAndRemove],
    ] as const)('the sender of a request sees the same of a player who %s', async (kind, answerTo) => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, gameId } = await pair(db);
      await db.write(setProfile, grace, { username: 'Grace' });
      if (kind === 'had blocked before') await blockIn(db, grace, ada);
      if (kind === 'blocks in the game of the sender') await db.write(block, { gameId, wallet: grace }, ada);
      // So that whoever is left out of searches for another reason looks the same.
      await db.write(setPrivacy, grace, { searchable: false });
      const seen = await senderSees(fixture, { ada, grace, gameId }, () => answerTo(db, grace, ada));
      const { ada: other, grace: control, gameId: game } = await pair(db);
      await db.write(setProfile, control, { username: 'Grace' });
      await db.write(setPrivacy, control, { searchable: false });
      const waiting = await senderSees(fixture, { ada: other, grace: control, gameId: game }, async () => {});
      expect(seen).toEqual(waiting);
      expect(await between(db, ada, grace)).toHaveProperty('0', 'sent');
    });

    test.each(['friend', 'received', 'none'] as const)(
      'a block ends what is between two players (%s) as removing does, and unblocking restores nothing',
      async (state) => {
        await using fixture = await open();
        const { db } = fixture;
        const seen: unknown[] = [];
        for (const how of ['block', 'remove'] as const) {
          const { ada, grace, gameId } = await pair(db);
          await db.write(setPrivacy, ada, { searchable: false });
          if (state === 'friend') {
            await befriend(db, ada, grace);
            await invite(db, ada, [grace], gameId);
            await invite(db, grace, [ada], gameId);
          }
          if (state === 'received') await ask(db, ada, grace);
          const received = listen(db);
          if (how === 'block') for (let n = 0; n < 2; n++) await blockIn(db, ada, grace);
          else await db.write(removeFriend, ada, grace);
          expect(await between(db, ada, grace)).toEqual([undefined, undefined]);
          expect(await db.read(openInvites, grace)).toEqual([]);
          seen.push([
            normalized(received, grace, ada),
            await listOf(db, grace),
            await db.read(visiblePlayers, grace, null, [ada]).then((found) => found.length),
          ]);
          if (how !== 'block') continue;
          await expect(ask(db, ada, grace)).rejects.toMatchObject({ reason: 'player_blocked' });
          await db.write(unblock, { gameId: await launcher(db, ada), wallet: ada, everywhere: true }, grace);
          expect(await between(db, ada, grace)).toEqual([undefined, undefined]);
          expect(await ask(db, ada, grace)).toBe('sent');
        }
        expect(seen[0]).toEqual(seen[1]);
      },
    );

    test('neither a search nor names tell who blocks: both leave out the same players', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, gameId } = await pair(db);
      const { wallet: hidden } = await addPlayer(db, gameId);
      const { wallet: stranger } = await addPlayer(db, (await addGame(db)).id);
      const found = async () => [
        (await db.read(searchByName, { text: name, wallet: stranger, gameId: null, limit: 20 }))
          .map(({ wallet }) => wallet)
          .toSorted(),
        (await db.read(visiblePlayers, stranger, null, [ada, grace, hidden]))
          .map(({ wallet }) => wallet)
          .toSorted(),
      ];
      const name = `Name ${randomUUID().slice(0, 8)}`;
      for (const wallet of [ada, grace, hidden]) await db.write(setProfile, wallet, { username: name });
      const all = [ada, grace, hidden].toSorted();
      expect(await found()).toEqual([all, all]);
      await blockIn(db, ada, stranger);
      await db.write(setPrivacy, hidden, { searchable: false });
      expect(await found()).toEqual([[grace], [grace]]);
      // Whoever has something to do with a player still reads the name.
      await ask(db, stranger, ada);
      await addPlayer(db, gameId, stranger);
      expect(await found()).toEqual([[grace], all]);
    });
  });

  describe('privacy, codes and searches', () => {
    test('privacy has defaults, is changed field by field, and told to launchers only', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada } = await pair(db);
      const defaults = {
        ...{ requests: 'everyone', presence: 'friends', showGame: true },
        ...{ invites: 'friends', searchable: true, showPlaytime: true },
      };
      expect(await db.read(privacyOf, ada)).toEqual(defaults);
      const received = listen(db);
      await db.write(setPrivacy, ada, { showGame: false });
      await db.write(setPrivacy, ada, { requests: 'code', presence: undefined });
      const changed = { ...defaults, showGame: false, requests: 'code' };
      for await (const one of nowAndReopened(fixture))
        expect(await one.read(privacyOf, ada)).toEqual(changed);
      expect(received[1]).toMatchObject({
        name: 'privacy patched',
        stream: `account:${ada}`,
        record: { ...changed, normalizedAddress: ada },
        audience: { kind: 'account', wallet: ada, inGames: null },
      });
    });

    test('requests reach whom the player lets ask, and those that were sent before stay', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus } = await pair(db);
      const refused = { reason: 'requests_not_accepted' };
      await ask(db, linus, ada);
      await db.write(setPrivacy, ada, { requests: 'code' });
      await expect(ask(db, grace, ada)).rejects.toMatchObject(refused);
      expect(await ask(db, linus, ada)).toBe('sent');
      expect(await ask(db, grace, ada, { hasCode: true })).toBe('sent');
      expect(await between(db, grace, ada)).toEqual(['sent', 'received']);
      await db.write(setPrivacy, ada, { requests: 'nobody' });
      await db.write(removeFriend, grace, ada);
      await expect(ask(db, grace, ada, { hasCode: true })).rejects.toMatchObject(refused);
      await db.write(acceptFriend, ada, linus);
      expect(await ask(db, ada, grace)).toBe('sent');
      expect(await ask(db, grace, ada)).toBe('friend');
    });

    test('a friend code is made once, and a new one replaces it', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace } = await pair(db);
      const first = await db.write(giveFriendCode, ada, { isNew: false });
      expect(first).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
      expect(await db.write(giveFriendCode, ada, { isNew: false })).toBe(first);
      expect(await db.write(giveFriendCode, grace, { isNew: true })).not.toBe(first);
      expect(await db.read(findByFriendCode, first)).toBe(ada);
      const second = await db.write(giveFriendCode, ada, { isNew: true });
      for await (const one of nowAndReopened(fixture)) {
        expect([await one.read(findByFriendCode, first), await one.read(findByFriendCode, second)]).toEqual([
          null,
          ada,
        ]);
      }
      expect(friendCodeInput.parse('o1ab-cd il')).toBe('01ABCD11');
      for (const invalid of ['', '1234567', '123456789', '1234567U', '12345678 9']) {
        expect([invalid, friendCodeInput.safeParse(invalid).success]).toEqual([invalid, false]);
      }
    });

    test('a search finds names by their beginning, whatever the case and accents', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      const mark = randomUUID().slice(0, 8);
      const search = async (text: string, more: { gameId?: string; limit?: number; wallet?: string } = {}) =>
        (
          await db.read(searchByName, {
            ...{ text, wallet: more.wallet ?? ada, gameId: more.gameId ?? null, limit: more.limit ?? 20 },
          })
        ).map(({ wallet }) => wallet);
      await db.write(setProfile, ada, { username: `${mark} Ada` });
      await db.write(setProfile, grace, { username: `${mark} Zoë` });
      await db.write(setProfile, linus, { username: `${mark} zoe` });
      const zoes = [grace, linus].toSorted();
      for (const text of [`${mark} ZOE`, `${mark} zoë`, `${mark.toUpperCase()} Zoé`, mark])
        expect([text, (await search(text)).toSorted()]).toEqual([text, zoes]);
      expect(await search('zoe')).not.toContain(grace);
      expect(await search(`${mark}%`)).toEqual([]);
      expect(await search('\u0301\u0301\u0301')).toEqual([]);
      expect(await search(mark, { limit: 1 })).toHaveLength(1);
      const elsewhere = await addPlayer(db, (await addGame(db)).id);
      await db.write(setProfile, elsewhere.wallet, { username: `${mark} Zora` });
      expect(await search(`${mark} Zo`)).toContain(elsewhere.wallet);
      expect((await search(`${mark} Zo`, { gameId })).toSorted()).toEqual(zoes);
      await db.write(ban, linus, gameId, '');
      expect(await search(`${mark} Zo`, { gameId })).toContain(linus);
      await db.write(ban, linus, null, '');
      expect(await search(`${mark} Zo`, { gameId })).toEqual([grace]);
      await blockIn(db, grace, ada);
      expect(await search(`${mark} Zo`, { gameId })).toEqual([]);
      expect(await search(`${mark} Zo`, { gameId, wallet: linus })).toEqual([grace]);
      await db.write(setPrivacy, grace, { searchable: false });
      expect(await search(`${mark} Zo`, { gameId, wallet: linus })).toEqual([]);
    });

    test('names are read of players of the session’s game, and of none outside it', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, gameId } = await pair(db);
      const { wallet: outside } = await addPlayer(db, (await addGame(db)).id);
      await befriend(db, ada, outside);
      const all = [ada, grace, outside, randomWallet()];
      const names = async (game: string | null) =>
        (await db.read(visiblePlayers, ada, game, all)).map(({ wallet }) => wallet);
      for (const privacy of [{}, { searchable: false }] satisfies PrivacyChanges[]) {
        await db.write(setPrivacy, grace, privacy);
        await db.write(setPrivacy, outside, privacy);
        expect(await names(gameId)).toEqual([ada, grace]);
        expect(await names(null)).toEqual([ada, grace, outside]);
      }
    });
  });

  describe('invites', () => {
    test('reach friends who accept them, replace the earlier one, and end by an answer', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      await befriend(db, ada, grace);
      await befriend(db, ada, linus);
      await db.write(setPrivacy, linus, { invites: 'nobody' });
      const received = listen(db);
      const stranger = randomWallet();
      const { invites: sent, refused } = await invite(db, ada, [grace, linus, stranger], gameId);
      expect(sent).toMatchObject([
        { from: ada, wallet: grace, gameId, expiresAt: clock.now + inviteLifetimeMs },
      ]);
      expect(refused.toSorted((a, b) => a.reason.localeCompare(b.reason))).toEqual([
        { wallet: linus, reason: 'invites_not_accepted' },
        { wallet: stranger, reason: 'not_a_friend' },
      ]);
      const [first] = sent.map(({ inviteId }) => inviteId);
      const again = await invite(db, ada, [grace], gameId);
      const second = again.invites[0]?.inviteId ?? '';
      for (const wallet of [ada, grace])
        expect((await db.read(openInvites, wallet)).map(({ id }) => id)).toEqual([second]);
      expect(JSON.stringify(received)).not.toContain('room 1');
      const unknown = { reason: 'invite_unknown' };
      const all = (wallet: string, game: string | null = null) => ({ wallet, gameId: game });
      for (const attempt of [
        () => db.write(answerInvite, all(grace), first ?? '', true),
        () => db.write(answerInvite, all(ada), second, true),
        () => db.write(answerInvite, all(linus), second, true),
        () => db.write(answerInvite, all(grace, randomUUID()), second, true),
        () => db.write(cancelInvite, all(grace), second),
      ])
        await expect(attempt()).rejects.toMatchObject(unknown);
      expect(await db.write(answerInvite, all(grace, gameId), second, true)).toMatchObject({
        connect: 'room 1',
      });
      await expect(db.write(answerInvite, all(grace), second, true)).rejects.toMatchObject(unknown);
      const third = (await invite(db, ada, [grace], gameId)).invites[0]?.inviteId ?? '';
      await db.write(cancelInvite, all(ada), third);
      for (const wallet of [ada, grace])
        expect(
          received
            .filter(({ stream }) => stream === `account:${wallet}`)
            .map(({ name, record }) => [name, Object(record).outcome]),
        ).toEqual([
          ['invites created', undefined],
          ['invites removed', 'cancelled'],
          ['invites created', undefined],
          ['invites removed', 'accepted'],
          ['invites created', undefined],
          ['invites removed', 'cancelled'],
        ]);
    });

    test('to a game do not reach who blocks the sender there, and the sender cannot tell', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      for (const friend of [grace, linus]) await befriend(db, ada, friend);
      await db.write(block, { gameId, wallet: grace }, ada);
      const received = listen(db);
      for (const friend of [grace, linus]) {
        const [first] = (await invite(db, ada, [friend], gameId)).invites;
        expect(first).toMatchObject({ from: ada, wallet: friend });
        expect((await db.read(openInvites, ada)).map(({ id }) => id)).toEqual([first?.inviteId]);
        expect(await db.read(openInvites, friend)).toHaveLength(friend === grace ? 0 : 1);
        await db.write(cancelInvite, { wallet: ada, gameId: null }, first?.inviteId ?? '');
      }
      const created = received.filter(({ name }) => name === 'invites created');
      expect(created.map(({ stream }) => stream).filter((stream) => stream !== `account:${ada}`)).toEqual([
        `account:${linus}`,
      ]);
      expect(created.filter(({ stream }) => stream === `account:${ada}`)).toHaveLength(2);
      // A block in a game holds in that game.
      const elsewhere = await addGame(db);
      const [other] = (await invite(db, ada, [grace], elsewhere.id)).invites;
      expect((await db.read(openInvites, grace)).map(({ id }) => id)).toEqual([other?.inviteId]);
    });

    test('expire after ten minutes, and are deleted later', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { ada, grace, gameId } = await pair(db);
      await befriend(db, ada, grace);
      const inviteId = (await invite(db, ada, [grace], gameId)).invites[0]?.inviteId ?? '';
      clock.advance(inviteLifetimeMs - 1);
      expect(await db.read(openInvites, grace)).toHaveLength(1);
      expect(await db.write(trimInvites)).toBe(false);
      expect(await rowsIn(db, 'SELECT id FROM invites', {})).toHaveLength(1);
      clock.advance(1);
      expect(await db.read(openInvites, grace)).toEqual([]);
      const answer = db.write(answerInvite, { wallet: grace, gameId: null }, inviteId, true);
      await expect(answer).rejects.toMatchObject({ reason: 'invite_unknown' });
      await db.write(trimInvites);
      expect(await rowsIn(db, 'SELECT id FROM invites', {})).toEqual([]);
    });

    test('a player has at most 100 open ones; those that expired or are replaced do not count', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace } = await pair(db);
      await befriend(db, ada, grace);
      const games = Array.from({ length: maxOpenInvites + 1 }, () => randomUUID());
      const last = games.at(-1) ?? '';
      for (let round = 0; round < 2; round++) {
        await Promise.all(games.slice(0, -1).map((gameId) => invite(db, ada, [grace], gameId)));
        await expect(invite(db, ada, [grace], last)).rejects.toMatchObject({
          reason: 'invite_limit_reached',
        });
        expect((await invite(db, ada, [grace], games[0] ?? '')).invites).toHaveLength(1);
        expect(await db.read(openInvites, grace)).toHaveLength(maxOpenInvites);
        if (round === 0) clock.advance(inviteLifetimeMs);
      }
      // Also those behind the ones that have expired.
      await db.write(removeFriend, ada, grace);
      expect(await db.read(openInvites, grace)).toEqual([]);
    });
  });

  describe('a player’s account stream', () => {
    test('is told to launchers, and to games as far as their policy allows, live and later', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, gameId } = await pair(db);
      const { id: other } = await addGame(db);
      const { wallet: outside } = await addPlayer(db, other);
      const received = listen(db);
      await ask(db, ada, grace);
      await ask(db, ada, outside);
      await db.write(setPrivacy, ada, { showGame: false });
      const own = received.filter(({ stream }) => stream === `account:${ada}`);
      expect(own.map(({ audience }) => audience)).toEqual([
        { kind: 'account', wallet: ada, inGames: [gameId] },
        { kind: 'account', wallet: ada, inGames: [other] },
        { kind: 'account', wallet: ada, inGames: null },
      ]);
      const replayed = async (game: string | null, friends: 'none' | 'in-game' | 'all') =>
        (await db.read(eventsOfStream, `account:${ada}`, 0, 10, { wallet: ada, gameId: game, friends })).map(
          ({ name, record }) => (name === 'realtime-events skipped' ? 'skipped' : JSON.parse(record).wallet),
        );
      expect(await replayed(null, 'all')).toEqual([grace, outside, undefined]);
      expect(await replayed(gameId, 'in-game')).toEqual([grace, 'skipped', 'skipped']);
      expect(await replayed(other, 'in-game')).toEqual(['skipped', outside, 'skipped']);
      expect(await replayed(gameId, 'all')).toEqual([grace, outside, 'skipped']);
    });

    test('only webhooks of launchers receive it, without notes and messages', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { ada, grace, gameId } = await pair(db);
      const launcherId = await launcher(db, ada);
      for (const id of [gameId, launcherId])
        await db.write(addWebhook, {
          gameId: id,
          url: 'https://a.example/',
          filter: 'all',
          sealedSecret: '',
        });
      await ask(db, ada, grace, { message: 'own' });
      await db.write(acceptFriend, grace, ada);
      await db.write(updateFriend, ada, grace, { note: 'own', favorite: true });
      await db.write(setPrivacy, ada, { showGame: false });
      await invite(db, ada, [grace], gameId);
      await db.write(removeFriend, ada, grace);
      expect((await db.read(readDeliveries, { gameId }, wholePage)).total).toBe(0);
      const { rows } = await db.read(readDeliveries, { gameId: launcherId }, wholePage);
      expect(rows.map(({ event }) => event).toSorted()).toEqual([
        ...['friends.created', 'friends.created', 'friends.patched', 'friends.patched', 'friends.patched'],
        ...['friends.removed', 'friends.removed'],
      ]);
      const sent = JSON.stringify(await rowsIn(db, 'SELECT payload FROM actions', {}));
      expect(sent).not.toMatch(/own|favorite/);
    });
  });

  describe('a player with friends', () => {
    test('is erased with all rows and every event that says something of them', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      await befriend(db, ada, grace, 'adas');
      await db.write(updateFriend, grace, ada, { note: 'a note about her' });
      await ask(db, linus, ada);
      await db.write(giveFriendCode, ada, { isNew: false });
      await db.write(setPrivacy, ada, { showGame: false });
      await invite(db, ada, [grace], gameId);
      await invite(db, grace, [ada], gameId);
      await ask(db, (await addPlayer(db, gameId)).wallet, ada);
      const received = listen(db);
      await erasePlayerData(db, tables, ada);
      for (const wallet of [grace, linus]) {
        expect(eventsOf(received, wallet).map(([name]) => name)).toContain('friends removed');
        expect(await listOf(db, wallet)).toEqual([]);
        expect(await db.read(openInvites, wallet)).toEqual([]);
      }
      for (const { name } of tables) {
        if (name === 'bans' || name === 'erasures') continue; // until the sweep
        expect([name, JSON.stringify(await rowsIn(db, `SELECT * FROM ${name}`, {}))]).toEqual([
          name,
          expect.not.stringContaining(ada),
        ]);
      }
      const events = JSON.stringify(
        await rowsIn(
          db,
          `SELECT record FROM events WHERE stream_id IN (SELECT id FROM streams WHERE name LIKE 'account:%')`,
          {},
        ),
      );
      expect(events).not.toContain(ada);
      expect(events).not.toContain('adas');
    });

    test('keeps them when a guest gets a wallet, and they are told', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      const { id: elsewhere } = await addGame(db);
      await addPlayer(db, elsewhere, ada);
      const guest = newGuestAddress();
      const device = { secretHash: randomUUID(), name: 'phone' };
      await db.write(addGuest, gameId, { address: guest, idleMs: hour }, device, hour);
      await befriend(db, guest, ada);
      await db.write(updateFriend, guest, ada, { note: 'own' });
      await ask(db, grace, guest);
      await ask(db, guest, linus);
      await db.write(declineFriend, linus, guest);
      const code = await db.write(giveFriendCode, guest, { isNew: false });
      await invite(db, ada, [guest], gameId);
      await db.write(setPrivacy, guest, { requests: 'nobody' });
      const received = listen(db);
      const wallet = randomWallet();
      const signIn = { id: randomUUID(), gameId, wallet, signRequest: '', expiresAt: 8e15 };
      await db.write(requestSignIn, signIn, guest);
      await db.write(upgradeGuest, { gameId, wallet: guest }, signIn.id, hour);
      expect(await between(db, wallet, ada)).toEqual(['friend', 'friend']);
      expect(await between(db, grace, wallet)).toEqual(['sent', 'received']);
      expect(await between(db, wallet, linus)).toEqual(['sent', undefined]);
      expect(await listed(db, wallet)).toHaveLength(3);
      expect(await db.read(friendWallets, ada)).toEqual([wallet]);
      expect(await db.read(findByFriendCode, code)).toBe(wallet);
      expect((await db.read(privacyOf, wallet)).requests).toBe('nobody');
      expect(await db.read(openInvites, wallet)).toHaveLength(1);
      for (const [other, state] of [
        [ada, 'friend'],
        [grace, 'sent'],
      ] as const) {
        const told = received.filter(({ stream }) => stream === `account:${other}`);
        expect(told.map(({ name, record, audience }) => [name, record, audience])).toMatchObject([
          ['friends removed', { wallet: guest, state }, { inGames: [gameId] }],
          ['friends created', { wallet, state }, { inGames: [gameId] }],
        ]);
        const listener = { wallet: other, gameId, friends: 'in-game' as const };
        const replayed = await db.read(eventsOfStream, `account:${other}`, 0, 20, listener);
        expect(replayed.map(({ name }) => name)).not.toContain('realtime-events skipped');
      }
      expect(received.filter(({ stream }) => stream === `account:${linus}`)).toEqual([]);
      await expect(ask(db, linus, guest)).rejects.toMatchObject({ reason: 'guest_upgraded' });
      await erasePlayerData(db, tables, wallet);
      const named = `SELECT record FROM events WHERE name LIKE 'friends %' AND (record LIKE @wallet OR record LIKE @guest)`;
      const values = { wallet: `%${wallet}%`, guest: `%${guest}%` };
      expect(await rowsIn(db, named, values)).toEqual([]);
    });

    test('exports the own side of each, and nothing that the other must not know', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, gameId } = await pair(db);
      const { wallet: former } = await addPlayer(db, gameId);
      await befriend(db, ada, grace);
      await db.write(updateFriend, ada, grace, { note: 'of ada', favorite: true });
      await db.write(updateFriend, grace, ada, { note: 'of grace' });
      await ask(db, linus, ada);
      await befriend(db, ada, former);
      await db.write(removeFriend, ada, former);
      await ask(db, former, ada);
      await db.write(declineFriend, ada, former);
      const code = await db.write(giveFriendCode, ada, { isNew: false });
      await db.write(setPrivacy, ada, { showGame: false });
      await invite(db, ada, [grace], gameId);
      const { records } = await db.read(readPlayerExport, ada, null, 1_000);
      const rows = (type: string) => records.filter((one) => one.type === type).map(({ row }) => row);
      const row = { message: '', changedAt: expect.any(Number) };
      expect(rows('friendships').toSorted((a, b) => String(a.state).localeCompare(String(b.state)))).toEqual([
        { ...row, other: grace, state: 'friend', favorite: 1, note: 'of ada' },
        { ...row, other: linus, state: 'received', favorite: 0, note: '' },
      ]);
      expect(rows('player_privacy')).toMatchObject([{ showGame: 0, requests: 'everyone' }]);
      const text = JSON.stringify(records);
      for (const secret of [code, former, 'of grace', 'room 1']) expect(text).not.toContain(secret);
      expect(JSON.stringify(await db.read(readPlayerExport, former, null, 1_000))).toContain('"sent"');
    });

    test('is imported by a game’s server among players whom it vouches for', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, gameId } = await pair(db);
      const vouched = async (game = gameId) => {
        const key = { gameId: game, playerKey: playerKeyOf(game, randomUUID()) };
        const made = await db.write(vouchForPlayer, key, { address: newGuestAddress(), idleMs: hour }, hour);
        return made.details.player.wallet;
      };
      const [one, two, three, closed] = [await vouched(), await vouched(), await vouched(), await vouched()];
      const foreign = await vouched((await addGame(db)).id);
      const add = (wallet: string, other: string) => db.write(importFriend, gameId, wallet, other);
      await ask(db, one, two);
      for (let n = 0; n < 2; n++) expect(await add(one, two)).toBeNull();
      expect(await between(db, one, two)).toEqual(['friend', 'friend']);
      for (const other of [ada, foreign, newGuestAddress()]) {
        expect(await add(one, other)).toBe('not_vouched');
        expect(await add(other, one)).toBe('not_vouched');
      }
      await db.write(setPrivacy, closed, { requests: 'nobody' });
      await blockIn(db, one, three);
      for (const [wallet, other] of [
        [one, closed],
        [closed, one],
        [one, three],
        [three, one],
      ] as const)
        expect(await add(wallet, other)).toBe('requests_not_accepted');
      const filling = await inProcess(fixture);
      await filling.write(fillFriends, three, 'friend', maxFriends, never);
      for (const pair of [
        [two, three],
        [three, two],
      ] as const)
        expect(await add(...pair)).toBe('friend_limit_reached');
    });
  });
}

/** A launcher in which the player has a session. */
async function launcher(db: Store, wallet: string): Promise<string> {
  const { id } = await addGame(db, { kind: 'launcher' });
  await addPlayer(db, id, wallet);
  return id;
}

async function blockIn(db: Store, wallet: string, blocked: string): Promise<void> {
  await db.write(blockEverywhere, { gameId: await launcher(db, wallet), wallet, everywhere: true }, blocked);
}

async function blockAndUnblock(db: Store, wallet: string, blocked: string): Promise<void> {
  await blockIn(db, wallet, blocked);
  await db.write(unblock, { gameId: await launcher(db, wallet), wallet, everywhere: true }, blocked);
}

async function blockAndRemove(db: Store, wallet: string, blocked: string): Promise<void> {
  await blockIn(db, wallet, blocked);
  await db.write(removeFriend, wallet, blocked);
}

async function declineAndRemove(db: Store, wallet: string, other: string): Promise<void> {
  await db.write(declineFriend, wallet, other);
  await db.write(removeFriend, wallet, other);
}

function invite(db: Store, sender: string, wallets: readonly string[], gameId: string) {
  return db.write(sendInvites, sender, wallets, { gameId, connect: 'room 1', message: 'Come' });
}

async function listOf(db: Store, wallet: string) {
  return (await listed(db, wallet)).map(({ state, other, message }) => [state, other, message]);
}

/** The events of a player's account stream: name, state and message. */
function eventsOf(events: readonly ParsedEvent[], wallet: string) {
  return events
    .filter(({ stream }) => stream === `account:${wallet}`)
    .map(({ name, record }) => [name, Object(record).state, Object(record).message]);
}

/** Everything that `wallet` receives, with the names of both replaced. */
function normalized(events: readonly ParsedEvent[], wallet: string, other: string) {
  const own = events.filter(
    ({ stream, audience }) =>
      stream.includes(wallet) ||
      (audience.kind === 'players' && [...audience.wallets, ...(audience.hiddenFrom ?? [])].includes(wallet)),
  );
  return own.map(({ name, record }) => [name, anonymous(record, wallet, other)]);
}

function anonymous(value: unknown, wallet: string, other: string): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll(wallet, 'me')
      .replaceAll(other, 'other')
      .replace(/"(inviteId|gameId|id|userId)":"[^"]*"/g, '"$1":"id"')
      .replace(/"(changedAt|createdAt|expiresAt)":\d+/g, '"$1":1'),
  );
}

/** Everything that the sender of a request learns, in answers, lists and events; `answer`: what the receiver does. */
async function senderSees(
  { db, clock }: DatabaseUnderTest,
  { ada, grace, gameId }: { ada: string; grace: string; gameId: string },
  answer: () => Promise<unknown>,
): Promise<unknown> {
  const received = listen(db);
  const seen: unknown[] = [];
  const look = async () => {
    const attempt = (call: Promise<unknown>) =>
      call.then(
        (result) => result ?? 'nothing',
        ({ reason }) => reason,
      );
    seen.push(
      await attempt(db.write(acceptFriend, ada, grace)),
      await attempt(db.write(declineFriend, ada, grace)),
      await attempt(db.write(updateFriend, ada, grace, { favorite: true })),
      await attempt(invite(db, ada, [grace], gameId)),
      await listed(db, ada),
      await db.read(countFriendships, ada),
      await db.read(friendWallets, ada),
      await db.read(visiblePlayers, ada, null, [grace]),
      await db.read(searchByName, { text: 'Grace', wallet: ada, gameId, limit: 20 }),
    );
  };
  const askAgain = async (hasCode: boolean) =>
    seen.push(await ask(db, ada, grace, { message: 'Hello', hasCode, gameId }));
  await askAgain(false);
  await answer();
  await look();
  clock.advance(1);
  await askAgain(true);
  await look();
  await db.write(removeFriend, ada, grace);
  await look();
  await askAgain(false);
  await look();
  return anonymous([seen, normalized(received, ada, grace)], ada, grace);
}

/** As if a node that does not know the table had opened the session. */
const forgetOpened = command('forgetOpened', function* (tx, wallet: string, gameId: string): Steps<void> {
  const row = yield* tx.get(openedGames, wallet, gameId);
  if (row) tx.remove(openedGames, row);
});
