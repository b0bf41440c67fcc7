import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import {
  markDelivered,
  markRead,
  notifyPlayer,
  trimNotifications,
} from '../../../src/features/notifications/commands.ts';
import { maxMarkedPerCall } from '../../../src/features/notifications/notification.ts';
import { listInbox, listUndelivered } from '../../../src/features/notifications/queries.ts';
import { addGame, addPlayer, hour, listen, nowAndReopened, type OpenStore, trio } from './fixture.ts';

const whole = { limit: 250, unreadOnly: false };

function notify(db: Database, owner: Owner, message: string, expiresInSeconds?: number) {
  return db.write(notifyPlayer, owner, { message, type: 'success', expiresInSeconds });
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
      expect(await db.write(markRead, ada, named)).toEqual({ notificationIds: [first._id], more: false });
      expect(received).toMatchObject([
        {
          name: 'notifications read',
          stream: `player:${ada.gameId}:${ada.wallet}`,
          record: { gameId: ada.gameId, notificationIds: [first._id], readAt: clock.now },
          audience: { wallets: [ada.wallet] },
        },
      ]);
      expect(await db.write(markRead, ada, [first._id])).toEqual({ notificationIds: [], more: false });
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
      const { notificationIds } = await db.write(markRead, everyGame, 'all');
      expect(notificationIds.toSorted()).toEqual([second._id, other._id].toSorted());
      expect(
        received
          .slice(1)
          .map(({ stream }) => stream)
          .toSorted(),
      ).toEqual([ada.gameId, elsewhere.gameId].map((gameId) => `player:${gameId}:${ada.wallet}`).toSorted());
      expect((await db.read(listInbox, grace, whole)).unread).toBe(1);
    });

    test('marks all in batches, and says while there may be more', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      await Promise.all(Array.from({ length: maxMarkedPerCall + 3 }, (_, n) => notify(db, ada, `${n}`)));
      const counts: [number, boolean][] = [];
      let more = true;
      while (more) {
        const marked = await db.write(markRead, ada, 'all');
        counts.push([marked.notificationIds.length, marked.more]);
        more = marked.more;
      }
      expect(counts).toEqual([
        [maxMarkedPerCall, true],
        [3, false],
      ]);
      expect((await db.read(listInbox, ada, whole)).unread).toBe(0);
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
