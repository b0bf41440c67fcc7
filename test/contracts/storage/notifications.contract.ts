import { describe, expect, test } from 'vitest';
import type { Listener } from '../../../src/core/events/stream.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { eventsAfter, eventsOfStream, lastPositions } from '../../../src/features/events/queries.ts';
import {
  markDelivered,
  markRead,
  notifyPlayer,
  trimNotifications,
} from '../../../src/features/notifications/commands.ts';
import { setGameMuted } from '../../../src/features/notifications/muted-game-commands.ts';
import { maxMarkedPerCall } from '../../../src/features/notifications/notification.ts';
import {
  listInbox,
  listUndelivered,
  listUnread,
  mutedGamesOf,
} from '../../../src/features/notifications/queries.ts';
import { addGame, addPlayer, hour, listen, nowAndReopened, type OpenStore, trio } from './fixture.ts';

const whole = { limit: 250, unreadOnly: false };

function notify(db: Database, owner: Owner, message: string, expiresInSeconds?: number) {
  return db.write(notifyPlayer, owner, { message, type: 'success', expiresInSeconds });
}

async function markAll(db: Database, listener: Listener): Promise<string[]> {
  return db.write(markRead, listener, await db.read(listUnread, listener, maxMarkedPerCall));
}

async function messagesOf(db: Database, owner: Owner) {
  const { notifications } = await db.read(listInbox, owner, whole);
  return notifications.map(({ message }) => message);
}

/** The contract of commands and queries about a player's inbox. */
export function notificationsContract(open: OpenStore): void {
  describe('the inbox', () => {
    test('lists newest first in pages without gaps, and counts unread ones', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      await notify(db, grace, 'hers');
      for (let n = 1; n <= 5; n++) {
        if (n % 2 === 0) clock.advance(1); // two in one millisecond are ordered by id
        await notify(db, ada, `${n}`);
      }
      const all = await db.read(listInbox, ada, whole);
      expect(all).toMatchObject({ unread: 5, cursor: null });
      for (const after of ['', '1', '1.x', '-1.2', "1.0' OR 1=1"]) {
        await expect(db.read(listInbox, ada, { ...whole, after })).rejects.toMatchObject({
          reason: 'paging_invalid',
        });
      }
      for await (const one of nowAndReopened(fixture)) {
        const paged: unknown[] = [];
        let after: string | undefined;
        do {
          const page = await one.read(listInbox, ada, { limit: 2, after, unreadOnly: false });
          paged.push(...page.notifications);
          after = page.cursor ?? undefined;
        } while (after !== undefined);
        expect(paged).toEqual(all.notifications);
      }
      const times = all.notifications.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    });

    test("marks the player's named notifications once, and notifies the player in the stream of each game", async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      const [first, second] = [await notify(db, ada, 'one'), await notify(db, ada, 'two')];
      const [hers, other] = [await notify(db, grace, 'hers'), await notify(db, elsewhere, 'elsewhere')];
      const received = listen(db);
      clock.advance(5);
      const named = [first._id, first._id, hers._id, other._id, '00000000-0000-7000-8000-000000000000'];
      expect(await db.write(markRead, ada, named)).toEqual([first._id]);
      expect(received).toMatchObject([
        {
          name: 'notifications read',
          stream: `player:${ada.gameId}:${ada.wallet}`,
          record: { gameId: ada.gameId, notificationIds: [first._id], readAt: clock.now },
          audience: { wallets: [ada.wallet] },
        },
      ]);
      expect(await db.write(markRead, ada, [first._id])).toEqual([]);
      expect(received).toHaveLength(1);
      expect((await db.read(listInbox, ada, { ...whole, unreadOnly: true })).notifications).toMatchObject([
        { _id: second._id, readAt: null },
      ]);
      expect(await db.read(listInbox, ada, whole)).toMatchObject({
        unread: 1,
        notifications: [{ readAt: null }, { _id: first._id, readAt: clock.now }],
      });
      const everyGame = { wallet: ada.wallet, gameId: null };
      expect(await db.read(listInbox, everyGame, whole)).toMatchObject({ unread: 2 });
      expect((await markAll(db, everyGame)).toSorted()).toEqual([second._id, other._id].toSorted());
      expect(
        received
          .slice(1)
          .map(({ stream }) => stream)
          .toSorted(),
      ).toEqual([ada.gameId, elsewhere.gameId].map((gameId) => `player:${gameId}:${ada.wallet}`).toSorted());
      expect((await db.read(listInbox, grace, whole)).unread).toBe(1);
    });

    test('marks all in batches', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      await Promise.all(Array.from({ length: maxMarkedPerCall + 3 }, (_, n) => notify(db, ada, `${n}`)));
      for (const expected of [maxMarkedPerCall, 3, 0]) expect(await markAll(db, ada)).toHaveLength(expected);
      expect((await db.read(listInbox, ada, whole)).unread).toBe(0);
    });

    test('a muted game is left out of the player’s launchers and stays in the game', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      const everyGame = { wallet: ada.wallet, gameId: null };
      const from = await db.read(lastPositions);
      const before = await notify(db, ada, 'before');
      const received = listen(db);
      clock.advance(5);
      for (const muted of [true, true]) await db.write(setGameMuted, ada, muted);
      const { gameId, wallet } = ada;
      const record = { normalizedAddress: wallet, gameId, muted: true, updatedAt: clock.now };
      expect(received).toMatchObject([
        {
          name: 'muted-games patched',
          stream: `account:${wallet}`,
          record,
          audience: { kind: 'account', wallet, inGames: null },
        },
      ]);
      const during = await notify(db, ada, 'during');
      const hers = await notify(db, grace, 'hers');
      const other = await notify(db, elsewhere, 'elsewhere');
      const audiences = received.slice(1).map(({ audience }) => audience);
      expect(audiences).toEqual([
        { kind: 'players', gameId, wallets: [wallet], inGameOnly: true },
        { kind: 'players', gameId, wallets: [grace.wallet] },
        { kind: 'players', gameId: elsewhere.gameId, wallets: [wallet] },
      ]);
      const idsOf = async (one: Database, listener: Listener) => ({
        inbox: (await one.read(listInbox, listener, whole)).notifications.map(({ _id }) => _id),
        unread: (await one.read(listInbox, listener, whole)).unread,
        waiting: (await one.read(listUndelivered, listener, 10)).map((event) => event.record._id),
        marked: (await one.read(listUnread, listener, 10)).toSorted(),
      });
      for await (const one of nowAndReopened(fixture)) {
        const all = await one.read(mutedGamesOf, wallet, { limit: 10, skip: 0 });
        expect(all).toMatchObject({ total: 1, rows: [{ gameId, mutedAt: clock.now }] });
        expect(await one.read(mutedGamesOf, wallet, { limit: 10, skip: 1 })).toEqual({ total: 1, rows: [] });
        expect((await one.read(mutedGamesOf, grace.wallet, { limit: 10, skip: 0 })).total).toBe(0);
        const shown = { inbox: [other._id], unread: 1, waiting: [other._id], marked: [other._id] };
        expect(await idsOf(one, everyGame)).toEqual(shown);
        const both = [before._id, during._id];
        expect(await idsOf(one, ada)).toEqual({
          inbox: both.toReversed(),
          unread: 2,
          waiting: both,
          marked: both,
        });
        expect((await idsOf(one, grace)).inbox).toEqual([hers._id]);
        // The audiences of stored events, and what a launcher and the game find in the stream.
        const { events } = await one.read(eventsAfter, from, 100);
        const created = events.filter(({ name }) => name === 'notifications created');
        expect(created.map((event) => event.audience)).toEqual([audiences[0], ...audiences]);
        const stream = `player:${gameId}:${wallet}`;
        const seen = async (listener: Listener) =>
          (await one.read(eventsOfStream, stream, 0, 10, listener)).map(({ name }) => name);
        expect(await seen(ada)).toEqual(['notifications created', 'notifications created']);
        expect(await seen(everyGame)).toEqual(['realtime-events skipped', 'realtime-events skipped']);
      }
      await fixture.db.write(setGameMuted, ada, false);
      expect((await fixture.db.read(listInbox, everyGame, whole)).unread).toBe(3);
      expect((await fixture.db.read(mutedGamesOf, wallet, { limit: 10, skip: 0 })).total).toBe(0);
      const unknown = { gameId: '00000000-0000-7000-8000-000000000000', wallet };
      await expect(fixture.db.write(setGameMuted, unknown, true)).rejects.toMatchObject({
        reason: 'game_unknown',
      });
    });

    test('expired notifications are not listed, counted or delivered, and are purged; the rest are unchanged', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada] = await trio(db);
      const kept = await notify(db, ada, 'kept');
      const brief = await notify(db, ada, 'brief', 60);
      expect(brief.expiresAt).toBe(clock.now + 60_000);
      expect(kept).not.toHaveProperty('expiresAt');
      const heardAndLong = await notify(db, ada, 'long', 10 * 3600);
      await db.write(markDelivered, [heardAndLong._id]);
      clock.advance(59_999);
      expect(await messagesOf(db, ada)).toEqual(expect.arrayContaining(['kept', 'brief', 'long']));
      clock.advance(1);
      for (let swept = 0; swept < 2; swept++) {
        expect((await messagesOf(db, ada)).toSorted()).toEqual(['kept', 'long']);
        expect((await db.read(listInbox, ada, whole)).unread).toBe(2);
        const waiting = await db.read(listUndelivered, ada, 10);
        expect(waiting.map(({ record }) => record.message)).toEqual(['kept']);
        // One with an expiry is not purged before it, though it was delivered long ago.
        expect(await db.write(trimNotifications, 1)).toBe(false);
      }
      await db.write(markDelivered, [kept._id]);
      clock.advance(hour);
      await db.write(trimNotifications, hour - 1);
      expect(await messagesOf(db, ada)).toEqual(['long']);
      clock.advance(9 * hour);
      await db.write(trimNotifications, 100 * hour);
      expect(await messagesOf(db, ada)).toEqual([]);
    });
  });
}
