import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { streamOf } from '../../../src/core/events/stream.ts';
import { isGuestAddress, newGuestAddress } from '../../../src/core/schemas/fields.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import { type ExclusiveTx, exclusiveCommand, type Steps } from '../../../src/core/storage/command.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import type { AnyRow, AnyTable, Column } from '../../../src/core/storage/table.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { listActivities } from '../../../src/features/activities/queries.ts';
import { ban, changeGame } from '../../../src/features/administration/commands.ts';
import {
  addDevice,
  addGuest,
  playerKeyOf,
  removeDevice,
  signInDevice,
  vouchForPlayer,
} from '../../../src/features/guests/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages, listChannels } from '../../../src/features/messages/queries.ts';
import { messageChannels } from '../../../src/features/messages/tables.ts';
import { notifyPlayer, notifySeveral } from '../../../src/features/notifications/commands.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { findPlayer, isBanned } from '../../../src/features/players/queries.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../../src/features/scores/leaderboard-queries.ts';
import { listScores } from '../../../src/features/scores/queries.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { findSession, findSessions, liveSessions } from '../../../src/features/sessions/queries.ts';
import {
  beginAttempt,
  completeSignIn,
  requestSignIn,
} from '../../../src/features/sessions/sign-in-commands.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { listPlayerStates } from '../../../src/features/states/queries.ts';
import { removeIdleGuests, runAsGuest, upgradeGuest } from '../../../src/server/declarations/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, hour, listen, nowAndReopened, type OpenStore, wholePage } from './fixture.ts';

const day = 24 * hour;
const idleMs = 30 * day;

/** Players without a wallet, and their data when they get one. */
export function guestsContract(open: OpenStore): void {
  describe('guests', () => {
    test('an address is recognizably a guest’s, and different each time', () => {
      const made = Array.from({ length: 100 }, newGuestAddress);
      expect(new Set(made).size).toBe(100);
      for (const address of made) expect(address).toMatch(/^0x6775657374[0-9a-f]{30}$/);
      expect(made.every(isGuestAddress)).toBe(true);
      expect(isGuestAddress(randomWallet().replace(/^0x67/, '0x68'))).toBe(false);
    });

    test('a known device signs in as the same player, and an unknown one not at all', async () => {
      await using fixture = await open();
      const { id: gameId } = await addGame(fixture.db);
      const { guest, secretHash } = await addOne(fixture.db, gameId);
      for await (const db of nowAndReopened(fixture)) {
        const again = await db.write(signInDevice, gameId, secretHash, hour);
        expect(again.player.wallet).toBe(guest.wallet);
      }
      await expect(fixture.db.write(signInDevice, gameId, 'another', hour)).rejects.toMatchObject({
        reason: 'device_unknown',
      });
    });

    test('a removed device is rejected, and every other session of the player has ended', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest, secretHash, deviceId } = await addOne(db, gameId);
      const { wallet } = guest;
      await expect(db.write(removeDevice, wallet, deviceId, 'none')).rejects.toMatchObject({
        reason: 'last_device',
      });
      await db.write(addDevice, wallet, { secretHash: 'second', name: '' });
      const mine = await db.write(signInDevice, gameId, 'second', hour);
      await db.write(signInDevice, gameId, secretHash, hour);
      await db.write(removeDevice, wallet, deviceId, mine.session.id);
      const live = await db.read(liveSessions, wallet);
      expect(live.map(({ session }) => session.id)).toEqual([mine.session.id]);
      await expect(db.write(signInDevice, gameId, secretHash, hour)).rejects.toMatchObject({
        reason: 'device_unknown',
      });
      const { guest: other } = await addOne(db, gameId);
      await expect(db.write(removeDevice, other.wallet, deviceId, 'none')).rejects.toMatchObject({
        reason: 'device_unknown',
      });
    });

    test('a guest has at most ten devices', async () => {
      await using fixture = await open();
      const { id: gameId } = await addGame(fixture.db);
      const { guest } = await addOne(fixture.db, gameId);
      for (let n = 2; n <= 10; n++) {
        await fixture.db.write(addDevice, guest.wallet, { secretHash: `device ${n}`, name: '' });
      }
      const eleventh = fixture.db.write(addDevice, guest.wallet, { secretHash: 'one more', name: '' });
      await expect(eleventh).rejects.toMatchObject({ reason: 'device_limit_reached' });
    });

    test('a player vouched for by a game’s server is the same one each time, in that game only', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [one, other] = [await addGame(db), await addGame(db)];
      const first = await vouch(db, one.id, 'steam:1');
      expect(first.isNew).toBe(true);
      const again = await vouch(db, one.id, 'steam:1');
      expect(again.isNew).toBe(false);
      const { wallet } = first.details.player;
      expect(again.details.player.wallet).toBe(wallet);
      expect(isGuestAddress(wallet)).toBe(true);
      expect((await vouch(db, one.id, 'steam:2')).details.player.wallet).not.toBe(wallet);
      expect((await vouch(db, other.id, 'steam:1')).details.player.wallet).not.toBe(wallet);
      await upgrade(db, { gameId: one.id, wallet }, randomWallet());
      const upgraded = await vouch(db, one.id, 'steam:1');
      expect([upgraded.isNew, isGuestAddress(upgraded.details.player.wallet)]).toEqual([false, false]);
    });

    test("nobody becomes a guest by sending a guest's address", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const wallet = newGuestAddress();
      const asks = [
        () => db.write(startSession, { gameId, wallet }, hour),
        () => db.write(setProfile, wallet, { username: 'Mallory' }),
        () => db.write(notifySeveral, gameId, [wallet], { message: 'hi', type: 'success' as const }),
        () => db.write(createChannel, ada, [wallet]),
        () => db.write(runAsGuest, wallet, 'setScore', [{ gameId, wallet }, 1]),
      ];
      for (const ask of asks) await expect(ask()).rejects.toMatchObject({ reason: 'player_unknown' });
      expect(await db.read(findPlayer, wallet)).toBeNull();
    });

    test('a game that forbids guests admits none, and one that leaves them to its server admits only those', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { secretHash } = await addOne(db, gameId);
      await db.write(changeGame, gameId, { policies: { guests: 'server' } });
      const forbidden = { reason: 'guests_forbidden' };
      await expect(db.write(signInDevice, gameId, secretHash, hour)).rejects.toMatchObject(forbidden);
      await expect(addOne(db, gameId)).rejects.toMatchObject(forbidden);
      await vouch(db, gameId, 'known');
      await db.write(changeGame, gameId, { policies: { guests: 'forbidden' } });
      await expect(vouch(db, gameId, 'known')).rejects.toMatchObject(forbidden);
      expect(await rowsIn(db, 'SELECT count(*) AS n FROM guests', {})).toEqual([{ n: 2 }]);
      await addPlayer(db, gameId);
    });
  });

  describe('a guest who gets a wallet', () => {
    test('has every row that named the guest, in every existing table', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest } = await addOne(db, gameId);
      const named = tables.filter(
        ({ of, name }) => of.player !== undefined && !filledOtherwise.includes(name),
      );
      const filling = (await fixture.openInProcess?.()) ?? db;
      await filling.write(fillWith, named, guest);
      for (const table of named) {
        for (const column of playerColumns(table)) {
          const rows = await rowsOf(db, table, column, guest.wallet);
          expect(rows, `${table.name}.${column.name}`).not.toHaveLength(0);
        }
      }
      const before = await Promise.all(
        named.map((table) => rowsOf(db, table, playerOf(table), guest.wallet)),
      );

      const wallet = randomWallet();
      await upgrade(db, guest, wallet);

      for (const [at, table] of named.entries()) {
        const expected = JSON.parse(JSON.stringify(before[at]).replaceAll(guest.wallet, wallet));
        const after = await rowsOf(db, table, playerOf(table), wallet);
        if (table.name === 'channel_sessions' || table.name === 'sign_ins') {
          expect(after.map(({ id }) => id)).toEqual(
            expect.arrayContaining(expected.map((row: AnyRow) => row.id)),
          );
        } else expect(after, table.name).toEqual(expected);
      }
      // No data shows that the player was a guest, except the row that links the two, and its upgrade request.
      for (const table of tables) {
        for (const column of table.columns.filter(({ kind }) => kind === 'text' || kind === 'json')) {
          if (table.name === 'guests' && column.name === 'address') continue;
          if (table.name === 'sign_ins' && column.name === 'guest') continue;
          const text = `SELECT count(*) AS n FROM ${table.name} WHERE ${column.sqlName} LIKE @part`;
          const found = await rowsIn(db, text, { part: `%${guest.wallet}%` });
          expect(found, `${table.name}.${column.name}`).toEqual([{ n: 0 }]);
        }
      }
      for (const text of ['record', 'name']) {
        const query = `SELECT count(*) AS n FROM ${text === 'name' ? 'streams' : 'events'} WHERE ${text} LIKE @part`;
        expect(await rowsIn(db, query, { part: `%${guest.wallet}%` })).toEqual([{ n: 0 }]);
      }
    });

    test('keeps scores, places, states, play sessions, activities, messages and events unchanged', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [one, two] = [await addGame(db), await addGame(db)];
      const { guest, secretHash } = await addOne(db, one.id);
      await db.write(signInDevice, two.id, secretHash, hour);
      const elsewhere = { gameId: two.id, wallet: guest.wallet };
      const rivals = [await addPlayer(db, one.id), await addPlayer(db, one.id)] as const;
      await db.write(setProfile, guest.wallet, { username: 'Zoë' });
      await db.write(setScore, rivals[0], 10);
      await db.write(setScore, guest, 7, 'best');
      clock.advance(5);
      await db.write(setScore, rivals[1], 7);
      await db.write(setScore, guest, 3, 'other');
      await db.write(setScore, elsewhere, 99);
      await db.write(saveState, guest, 'hero', '{"level":3}', 'bafk-1');
      await db.write(recordActivity, guest, { label: '{username} won', eventId: 'cup' });
      const sessionId = randomUUID();
      await db.write(trackPlaySession, guest, { sessionId, state: '{}' });
      await db.write(notifyPlayer, guest, { message: 'Welcome', type: 'success' });
      const channel = await db.write(createChannel, guest, [rivals[0].wallet]);
      await db.write(sendMessage, guest, channel._id, 'hello');
      await db.write(sendMessage, rivals[0], channel._id, 'hello you');
      const userId = (await db.read(findPlayer, guest.wallet))?.userId;
      const before = await seen(db, [guest, elsewhere], rivals[0]);
      const seqs = await seqsOf(db, guest);

      clock.advance(5);
      const received = listen(db);
      const wallet = randomWallet();
      const details = await upgrade(db, guest, wallet);

      expect(details.player).toEqual({ userId, wallet, username: 'Zoë', avatar: '' });
      const owners = [
        { gameId: one.id, wallet },
        { gameId: two.id, wallet },
      ] as const;
      const expected = JSON.parse(JSON.stringify(before).replaceAll(guest.wallet, wallet));
      for await (const now of nowAndReopened(fixture)) {
        const after = await seen(now, owners, rivals[0]);
        expect(JSON.parse(JSON.stringify(after))).toEqual(expected);
        expect(await now.read(readPlace, defaultBoardOf(owners[0].gameId), owners[0].wallet)).toBe(2);
        expect(await now.read(readPlace, defaultBoardOf(guest.gameId), guest.wallet)).toBeNull();
        expect(await now.read(findPlayer, guest.wallet)).toBeNull();
      }
      // Both sessions of the guest received their end; then the channel received the wallet.
      const ends = received.filter(({ name }) => name === 'game-channels patched');
      expect(ends.map(({ record }) => record)).toMatchObject([
        { exists: false, endReason: 'upgraded' },
        { exists: false, endReason: 'upgraded' },
      ]);
      const patched = received.find(({ name }) => name === 'message-channels patched');
      expect(patched?.record).toMatchObject({ updatedAt: expect.any(Number) });
      expect(JSON.stringify(patched?.record)).toContain(wallet);
      // The stream continues under its new name, without a gap.
      const moved = await seqsOf(fixture.db, owners[0]);
      expect(moved.slice(0, seqs.length)).toEqual(seqs);
      await fixture.db.write(setScore, owners[0], 8, 'best');
      const later = await seqsOf(fixture.db, owners[0]);
      expect(later).toEqual(Array.from({ length: later.length }, (_, at) => at + 1));
      expect(await fixture.db.read(readPlace, defaultBoardOf(owners[0].gameId), owners[0].wallet)).toBe(2);
      const again = await fixture.db.write(createChannel, owners[0], [rivals[0].wallet]);
      expect(again._id).toBe(channel._id);
    });

    test('can only sign in with the wallet', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest, secretHash, sessionId } = await addOne(db, gameId);
      const wallet = randomWallet();
      await upgrade(db, guest, wallet);
      const upgraded = { reason: 'guest_upgraded' };
      await expect(db.write(signInDevice, gameId, secretHash, hour)).rejects.toMatchObject(upgraded);
      await expect(db.write(startSession, guest, hour)).rejects.toMatchObject(upgraded);
      await expect(db.write(addDevice, guest.wallet, { secretHash: 'x', name: '' })).rejects.toMatchObject(
        upgraded,
      );
      await expect(db.write(runAsGuest, guest.wallet, 'setScore', [guest, 1])).rejects.toMatchObject(
        upgraded,
      );
      expect((await db.read(findSession, sessionId))?.session).toMatchObject({
        wallet,
        endReason: 'upgraded',
      });
      expect((await db.read(liveSessions, wallet)).length).toBe(1);
      const { total } = await db.read(findSessions, { wallet }, wholePage);
      expect(total).toBe(2);
      expect((await db.write(startSession, { gameId, wallet }, hour)).player.wallet).toBe(wallet);
    });

    test('cannot get a wallet that is already a player, and is then unchanged', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest, secretHash } = await addOne(db, gameId);
      const ada = await addPlayer(db, gameId);
      await db.write(setScore, guest, 5);
      await expect(upgrade(db, guest, ada.wallet)).rejects.toMatchObject({ reason: 'wallet_taken' });
      expect(await db.read(readPlace, defaultBoardOf(guest.gameId), guest.wallet)).toBe(1);
      expect((await db.write(signInDevice, gameId, secretHash, hour)).player.wallet).toBe(guest.wallet);
      expect((await upgrade(db, guest, randomWallet())).player.wallet).toMatch(/^0x/);
    });

    test("can get a wallet that others have only added to channels, including the guest's own", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest } = await addOne(db, gameId);
      const ada = await addPlayer(db, gameId);
      const wallet = randomWallet();
      const both = await db.write(createChannel, ada, [guest.wallet, wallet]);
      await db.write(createChannel, ada, [wallet]);
      await upgrade(db, guest, wallet);
      const { rows } = await db.read(listChannels, { gameId, wallet }, wholePage);
      expect(rows.map(({ participants }) => participants.map((one) => one.wallet).sort())).toEqual([
        [ada.wallet, wallet].sort(),
        [ada.wallet, wallet].sort(),
      ]);
      expect(rows.map(({ _id }) => _id)).toContain(both._id);
    });

    test('keeps its bans, and cannot get a wallet while banned from the game of the request', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [one, two] = [await addGame(db), await addGame(db)];
      const { guest } = await addOne(db, one.id);
      await db.write(ban, guest.wallet, two.id, 'cheating');
      const wallet = randomWallet();
      await upgrade(db, guest, wallet);
      expect(await db.read(isBanned, { gameId: two.id, wallet })).toBe(true);
      const { guest: other } = await addOne(db, one.id);
      await db.write(ban, other.wallet, null, 'cheating');
      await expect(upgrade(db, other, randomWallet())).rejects.toMatchObject({ reason: 'player_banned' });
    });

    test('needs a signature made for that purpose', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest } = await addOne(db, gameId);
      const { guest: thief } = await addOne(db, gameId);
      const wallet = randomWallet();
      const plain = { id: randomUUID(), gameId, wallet, signRequest: '', expiresAt: clock.now + hour };
      await db.write(requestSignIn, plain);
      const unknown = { reason: 'sign_in_unknown' };
      await expect(db.write(upgradeGuest, guest, plain.id, hour)).rejects.toMatchObject(unknown);
      const meant = { ...plain, id: randomUUID() };
      await db.write(requestSignIn, meant, guest.wallet);
      await expect(db.write(completeSignIn, meant.id, hour)).rejects.toMatchObject(unknown);
      await expect(db.write(beginAttempt, meant.id)).rejects.toMatchObject(unknown);
      await expect(db.write(upgradeGuest, thief, meant.id, hour)).rejects.toMatchObject(unknown);
      expect((await db.write(upgradeGuest, guest, meant.id, hour)).player.wallet).toBe(wallet);
    });

    test('is one of 50 that concurrently request one wallet, and gets it once for 50 requests', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const wallet = randomWallet();
      const guests = await Promise.all(Array.from({ length: 50 }, () => addOne(db, gameId)));
      const nodes = [db, await fixture.openOtherProcess()];
      const one = await Promise.allSettled(
        guests.map(({ guest }, n) => upgrade(nodes[n % 2] ?? db, guest, wallet)),
      );
      expect(reasonsOf(one)).toEqual({ done: 1, wallet_taken: 49 });
      const { guest } = await addOne(db, gameId);
      const many = await Promise.allSettled(
        Array.from({ length: 50 }, (_, n) => upgrade(nodes[n % 2] ?? db, guest, randomWallet())),
      );
      expect(reasonsOf(many)).toEqual({ done: 1, guest_upgraded: 49 });
      const [{ n } = { n: 0 }] = (await rowsIn(
        db,
        'SELECT count(*) AS n FROM players WHERE wallet IN (SELECT wallet FROM guests WHERE wallet <> address)',
        {},
      )) as { n: number }[];
      expect(n).toBe(2);
    });

    test('loses no acknowledged write while it writes on two nodes', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { guest } = await addOne(db, gameId);
      const otherProcess = await fixture.openOtherProcess();
      const wallet = randomWallet();
      const writes: Promise<{ nonce: string } | { refusal: unknown }>[] = [];
      // A rejection is caught at once: some are refused while the upgrade is still awaited.
      const write = (node: Database, n: number) =>
        node.write(runAsGuest, guest.wallet, 'setScore', [guest, n, `n${n}`]).then(
          () => ({ nonce: `n${n}` }),
          (refusal: unknown) => ({ refusal }),
        );
      for (let n = 0; n < 60; n++) writes.push(write(n % 2 ? db : otherProcess, n));
      const done = upgrade(otherProcess, guest, wallet);
      for (let n = 60; n < 120; n++) {
        writes.push(write(n % 2 ? db : otherProcess, n));
        if (n % 10 === 0) await Promise.race([done, new Promise((resolve) => setImmediate(resolve))]);
      }
      await done;
      const answered: string[] = [];
      for (const one of await Promise.all(writes)) {
        if ('nonce' in one) answered.push(one.nonce);
        else expect(one.refusal).toMatchObject({ reason: 'guest_upgraded' });
      }
      const rows = await db.read(listScores, { gameId, wallet }, wholePage);
      expect(rows.map(({ nonce }) => nonce).sort()).toEqual(answered.sort());
      expect(answered.length).toBeGreaterThan(0);
      expect(
        await rowsIn(db, 'SELECT name FROM streams WHERE wallet = @wallet', { wallet: guest.wallet }),
      ).toEqual([]);
    });
  });

  test('nothing is sent on a chain for a guest, with an error that says why; off-chain grants work', async () => {
    await using fixture = await open.empty();
    const { db } = fixture;
    const spending = { transactionsPerDay: 9, transactionsPerPlayerPerDay: 9, tokens: [] };
    const { id: gameId } = await addGame(db, { policies: { spending } });
    const { guest } = await addOne(db, gameId);
    const call = {
      type: 'CallContract',
      chainId: 1,
      contract: randomWallet(),
      function: 'function cheer(address player)',
      args: ['{wallet}'],
    };
    const recorded = { type: 'GrantAchievementToken', achievement: 'first' };
    await db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'win', actions: [call, recorded] }]));
    const chain = { signers: { default: randomWallet() }, balances: {} };
    const trigger = (owner: Owner) => db.write(triggerRules, owner, { trigger: 'win' }, chain);
    expect((await trigger(guest)).actions).toEqual(['CallContract', 'GrantAchievementToken']);
    const refused = await rowsIn(db, 'SELECT state, error, payload FROM actions', {});
    expect(refused).toMatchObject([
      { state: 'failed', error: expect.stringContaining('the player is a guest') },
    ]);
    expect(JSON.stringify(refused)).not.toContain(guest.wallet);
    expect(await rowsIn(db, 'SELECT * FROM spending', {})).toEqual([]);
    const wallet = randomWallet();
    await upgrade(db, guest, wallet);
    expect((await trigger({ gameId, wallet })).actions).toEqual(['CallContract']);
    expect(await rowsIn(db, 'SELECT state FROM actions ORDER BY created_at, id', {})).toEqual([
      { state: 'failed' },
      { state: 'queued' },
    ]);
  });

  describe('guests without any activity', () => {
    test('are removed when they expire, and nobody else is', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const idle = await addOne(db, gameId);
      const playing = await addOne(db, gameId);
      const back = await addOne(db, gameId);
      const named = await addOne(db, gameId);
      const wallet = randomWallet();
      const upgraded = await addOne(db, gameId);
      await upgrade(db, upgraded.guest, wallet);
      const ofServer = await vouch(db, gameId, 'idle');
      const oftenOfServer = await vouch(db, gameId, 'often');
      await db.write(setScore, playing.guest, 1);
      await db.write(setProfile, named.guest.wallet, { username: 'Zoë' });
      clock.advance(29 * day);
      await db.write(signInDevice, gameId, back.secretHash, hour);
      await vouch(db, gameId, 'often');
      expect(await db.write(removeIdleGuests, idleMs)).toBe(false);
      expect(await db.read(findPlayer, idle.guest.wallet)).not.toBeNull();
      clock.advance(2 * day);
      while (await db.write(removeIdleGuests, idleMs));
      const left = async (...wallets: string[]) =>
        (await Promise.all(wallets.map((one) => db.read(findPlayer, one)))).map((player) => player !== null);
      const serverWallet = ofServer.details.player.wallet;
      expect(await left(idle.guest.wallet, serverWallet)).toEqual([false, false]);
      const others = [playing, back, named].map(({ guest }) => guest.wallet);
      expect(await left(...others, wallet, oftenOfServer.details.player.wallet)).toEqual(Array(5).fill(true));
      for (const table of tables) {
        if (table.of.player === undefined) continue;
        expect(await rowsOf(db, table, playerOf(table), idle.guest.wallet), table.name).toEqual([]);
      }
      expect(
        await rowsIn(db, 'SELECT name FROM streams WHERE wallet = @wallet', { wallet: idle.guest.wallet }),
      ).toEqual([]);
      await expect(db.write(signInDevice, gameId, idle.secretHash, hour)).rejects.toMatchObject({
        reason: 'device_unknown',
      });
      clock.advance(31 * day);
      while (await db.write(removeIdleGuests, idleMs));
      expect(await left(...others)).toEqual([true, false, true]);
    });
  });
}

/** Tables for which `fillWith` cannot generate a player's rows. */
const filledOtherwise = ['players', 'guests'];

/** Writes a row into each table, with the guest in its player columns. */
const fillWith = exclusiveCommand(
  'fillWith',
  // biome-ignore lint/correctness/useYield: rows that nobody else has
  function* (tx: ExclusiveTx, named: readonly AnyTable[], { gameId, wallet }: Owner): Steps<void> {
    tx.insert(messageChannels, {
      id: madeChannel,
      gameId,
      participantsKey: wallet,
      name: '',
      chatPicture: '',
      messageCount: 1,
      createdAt: 1,
      updatedAt: 1,
    });
    for (const table of named) {
      const { player, names = [], game, via } = table.of;
      const row: Record<string, string | number | null> = {};
      for (const { name, kind, isNullable } of table.columns) {
        if (name === player || names.includes(name)) row[name] = wallet;
        else if (name === game) row[name] = gameId;
        else if (name === via?.column) row[name] = madeChannel;
        else if (isNullable) row[name] = null;
        else if (kind === 'uuid') row[name] = tx.newId();
        else if (kind === 'json') row[name] = '[]';
        else if (kind === 'text') row[name] = `${table.name} ${name}`;
        else row[name] = name === 'expiresAt' ? 8e15 : 1;
      }
      if (table.name === 'participants') row.channelId = madeChannel;
      if (table.name === 'bans') row.gameId = tx.newId(); // of another game
      tx.put(table as never, row as never);
    }
  },
);
const madeChannel = '0198a000-0000-7000-8000-000000000001';

function playerColumns(table: AnyTable): Column[] {
  const { player, names = [] } = table.of;
  return table.columns.filter(({ name }) => name === player || names.includes(name));
}

function playerOf(table: AnyTable): Column {
  const found = table.columns.find(({ name }) => name === table.of.player);
  if (!found) throw new Error(`${table.name} is no player's`);
  return found;
}

async function rowsOf(db: Database, table: AnyTable, { sqlName }: Column, wallet: string): Promise<AnyRow[]> {
  const columns = table.columns.map((column) => `${column.sqlName} AS "${column.name}"`).join(', ');
  const text = `SELECT ${columns} FROM ${table.name} WHERE ${sqlName} = @wallet ORDER BY 1`;
  return (await rowsIn(db, text, { wallet })) as AnyRow[];
}

async function addOne(db: Database, gameId: string) {
  const wallet = newGuestAddress();
  const secretHash = randomUUID();
  const { details, deviceId } = await db.write(
    addGuest,
    gameId,
    { address: wallet, idleMs },
    { secretHash, name: 'phone' },
    hour,
  );
  return { guest: { gameId, wallet }, secretHash, deviceId, sessionId: details.session.id };
}

function vouch(db: Database, gameId: string, playerId: string) {
  const key = { gameId, playerKey: playerKeyOf(gameId, playerId) };
  return db.write(vouchForPlayer, key, { address: newGuestAddress(), idleMs }, hour);
}

/** As after the wallet's signature. */
async function upgrade(db: Database, guest: Owner, wallet: string) {
  const signIn = { id: randomUUID(), gameId: guest.gameId, wallet, signRequest: '', expiresAt: 8e15 };
  await db.write(requestSignIn, signIn, guest.wallet);
  return db.write(upgradeGuest, guest, signIn.id, hour);
}

/** A player's data, and what another player sees of it. */
async function seen(db: Database, owners: readonly Owner[], rival: Owner) {
  const [owner] = owners;
  if (!owner) throw new Error('nobody');
  const { rows: channels } = await db.read(listChannels, rival, wholePage);
  return {
    scores: await Promise.all(owners.map((one) => db.read(listScores, one, wholePage))),
    boards: await Promise.all(
      owners.map((one) => db.read(readBoardPage, defaultBoardOf(one.gameId), wholePage)),
    ),
    states: await db.read(listPlayerStates, owner, wholePage),
    activities: await db.read(listActivities, { wallet: owner.wallet }, { limit: 10, skip: 0 }),
    channels,
    messages: await db.read(listChannelMessages, rival, channels[0]?._id ?? '', wholePage),
    own: await db.read(listChannels, owner, wholePage),
  };
}

async function seqsOf(db: Database, { gameId, wallet }: Owner): Promise<number[]> {
  const rows = await rowsIn(
    db,
    'SELECT seq FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = @name) ORDER BY seq',
    { name: streamOf.player(gameId, wallet) },
  );
  return (rows as { seq: number }[]).map(({ seq }) => Number(seq));
}

function reasonsOf(settled: readonly PromiseSettledResult<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of settled) {
    const reason = one.status === 'fulfilled' ? 'done' : String(one.reason?.reason ?? one.reason);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
