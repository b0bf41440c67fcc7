import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { block } from '../../../src/features/messages/blocks/commands.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import { readPreviews } from '../../../src/features/messages/channel-previews.ts';
import { editMessage, sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannels } from '../../../src/features/messages/queries.ts';
import { moveReadMarker } from '../../../src/features/messages/read-marker-commands.ts';
import { findUnread, listUnread } from '../../../src/features/messages/unread.ts';
import {
  addGame,
  addPlayer,
  listen,
  nowAndReopened,
  type OpenStore,
  summarize,
  trio,
  wholePage,
} from './fixture.ts';

export function readMarkersContract(open: OpenStore): void {
  describe('read markers', () => {
    /** How many unread messages the player has in the channel. */
    const unread = async (db: Database, owner: Owner, channelId: string) =>
      (await db.read(findUnread, owner, channelId)).unreadCount;

    /** Ada's channel with Grace. */
    async function conversation(db: Database) {
      const [ada, grace, eve] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const say = async (by: Owner, content: string) =>
        (await db.write(sendMessage, by, channelId, content))._id;
      return { ada, grace, eve, channelId, say };
    }

    test('messages of others are unread until they are marked as read, also after a reopen', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace, channelId, say } = await conversation(db);
      const said = [await say(ada, '1'), await say(ada, '2'), await say(ada, '3')];
      expect([await unread(db, ada, channelId), await unread(db, grace, channelId)]).toEqual([0, 3]);
      clock.advance(5);
      const marker = await db.write(moveReadMarker, grace, channelId, said[1] ?? '');
      expect(marker).toEqual({
        _id: channelId,
        channelId,
        gameId: grace.gameId,
        normalizedAddress: grace.wallet,
        messageId: said[1],
        readAt: clock.now,
      });
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(listUnread, grace, [channelId])).toEqual([
          {
            channelId,
            unreadCount: 1,
            isCapped: false,
            readMarker: { messageId: said[1], readAt: clock.now },
          },
        ]);
      }
    });

    test('a marker only moves forward, and only a move is announced, to the player alone', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace, channelId, say } = await conversation(db);
      const [first, second] = [await say(ada, '1'), await say(ada, '2')];
      const received = listen(db);
      const marker = await db.write(moveReadMarker, grace, channelId, second);
      clock.advance(5);
      for (const earlier of [first, second]) {
        expect(await db.write(moveReadMarker, grace, channelId, earlier)).toEqual(marker);
      }
      expect(await unread(db, grace, channelId)).toBe(0);
      expect(received).toMatchObject([
        {
          name: 'read-markers patched',
          stream: `player:${grace.gameId}:${grace.wallet}`,
          record: marker,
          audience: { kind: 'players', gameId: grace.gameId, wallets: [grace.wallet] },
        },
      ]);
    });

    test('sending marks earlier messages as read; edits do not count, and unsent messages no longer', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, channelId, say } = await conversation(db);
      const first = await say(ada, '1');
      await say(grace, 'answer');
      const [second] = [await say(ada, '2'), await say(ada, '3')];
      await db.write(editMessage, ada, first, 'changed');
      expect([await unread(db, ada, channelId), await unread(db, grace, channelId)]).toEqual([0, 2]);
      await db.write(unsendMessage, ada, second);
      expect(await unread(db, grace, channelId)).toBe(1);
    });

    test('a new participant has read earlier messages, and a returning one those of the absence', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, eve, channelId, say } = await conversation(db);
      const before = await say(ada, 'before');
      await db.write(addToChannel, ada, channelId, eve.wallet);
      expect(await unread(db, eve, channelId)).toBe(0);
      const received = await say(ada, 'heard');
      expect(await unread(db, eve, channelId)).toBe(1);
      await db.write(moveReadMarker, eve, channelId, received);
      await db.write(removeFromChannel, eve, channelId, eve.wallet);
      const meanwhile = await say(grace, 'meanwhile');
      await expect(db.read(findUnread, eve, channelId)).rejects.toMatchObject({ reason: 'channel_unknown' });
      await expect(db.write(moveReadMarker, eve, channelId, received)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
      await db.write(createChannel, eve, [ada.wallet]); // which undoes her leaving
      await db.write(addToChannel, ada, channelId, eve.wallet);
      const found = await db.read(findUnread, eve, channelId);
      expect(found).toMatchObject({ unreadCount: 0, readMarker: null });
      await expect(db.write(moveReadMarker, eve, channelId, meanwhile)).rejects.toMatchObject({
        reason: 'message_unknown',
      });
      expect((await db.write(moveReadMarker, eve, channelId, before)).messageId).toBe(before);
      await say(ada, 'after');
      expect(await unread(db, eve, channelId)).toBe(1);
    });

    test('at most 1,000 are counted, in lists 100, and the result says when there are more', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, channelId, say } = await conversation(db);
      const ids = await Promise.all(Array.from({ length: 1_000 }, (_, n) => say(ada, `${n}`)));
      expect(await db.read(findUnread, grace, channelId)).toMatchObject({
        unreadCount: 1_000,
        isCapped: false,
      });
      await say(ada, 'one more');
      expect(await db.read(findUnread, grace, channelId)).toMatchObject({
        unreadCount: 1_000,
        isCapped: true,
      });
      await db.write(moveReadMarker, grace, channelId, ids[0] ?? '');
      expect(await db.read(findUnread, grace, channelId)).toMatchObject({
        unreadCount: 1_000,
        isCapped: false,
      });
      const listed = async (after: number) => {
        await db.write(moveReadMarker, grace, channelId, ids[after] ?? '');
        return db.read(listUnread, grace, [channelId]);
      };
      expect(await listed(899)).toMatchObject([{ unreadCount: 100, isCapped: true }]);
      expect(await listed(900)).toMatchObject([{ unreadCount: 100, isCapped: false }]);
    });

    test("a channel's preview is the last message sent in the player's presence by a player who is not blocked", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, eve, channelId, say } = await conversation(db);
      await say(ada, 'before');
      const preview = async (who: Owner) => {
        const { rows } = await db.read(listChannels, who, wholePage);
        const { lastMessages, profiles } = await db.read(readPreviews, who, rows);
        return [lastMessages.get(channelId)?.content, ...profiles.map(({ wallet }) => wallet)];
      };
      await db.write(addToChannel, ada, channelId, eve.wallet);
      expect(await preview(eve)).toEqual(['before', ada.wallet, grace.wallet]);
      await db.write(removeFromChannel, eve, channelId, eve.wallet);
      await say(grace, 'meanwhile');
      await db.write(createChannel, eve, [ada.wallet]); // which undoes her leaving
      await db.write(addToChannel, ada, channelId, eve.wallet);
      expect((await preview(eve))[0]).toBe('before');
      expect((await preview(grace))[0]).toBe('meanwhile');
      await say(ada, 'after');
      await say(grace, 'newest');
      expect((await preview(eve))[0]).toBe('newest');
      await db.write(block, eve, grace.wallet);
      expect((await preview(eve))[0]).toBe('after');
      const stranger = await addPlayer(db, (await addGame(db)).id, grace.wallet);
      const other = { _id: channelId, participants: [] };
      expect((await db.read(readPreviews, stranger, [other])).lastMessages).toEqual(new Map());
    });

    test('channels and messages of others are unknown, and omitted from a list', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, eve, channelId, say } = await conversation(db);
      const message = await say(ada, 'hi');
      const { _id: other } = await db.write(createChannel, ada, [eve.wallet]);
      const { _id: elsewhere } = await db.write(sendMessage, ada, other, 'hi');
      const stranger = await addPlayer(db, (await addGame(db)).id, grace.wallet);
      for (const [who, channel, id, reason] of [
        [eve, channelId, message, 'channel_unknown'],
        [stranger, channelId, message, 'channel_unknown'],
        [grace, 'none', message, 'channel_unknown'],
        [grace, channelId, elsewhere, 'message_unknown'],
        [grace, channelId, 'none', 'message_unknown'],
      ] as const) {
        await expect(db.write(moveReadMarker, who, channel, id)).rejects.toMatchObject({ reason });
      }
      const listed = await db.read(listUnread, grace, [channelId, other]);
      expect(listed.map((one) => one.channelId)).toEqual([channelId]);
      expect(await db.read(listUnread, stranger, [channelId])).toEqual([]);
      await expect(db.read(findUnread, stranger, channelId)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
      await expect(db.read(findUnread, grace, 'none')).rejects.toMatchObject({ reason: 'channel_unknown' });
    });

    test('of many concurrent marks, the furthest wins, and each move is announced once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, channelId, say } = await conversation(db);
      const ids: string[] = [];
      for (let n = 0; n < 10; n++) ids.push(await say(ada, `${n}`));
      const received = listen(db);
      const shuffled = [3, 9, 0, 7, 1, 5, 2, 8, 4, 6].map((at) => ids[at] ?? '');
      await Promise.all(shuffled.map((id) => db.write(moveReadMarker, grace, channelId, id)));
      expect(await unread(db, grace, channelId)).toBe(0);
      expect((await db.read(findUnread, grace, channelId)).readMarker?.messageId).toBe(ids[9]);
      const moves = received.map(({ record }) => ids.indexOf(Object(record).messageId));
      expect(moves).toEqual([...new Set(moves)].toSorted((a, b) => a - b));
      expect(moves.at(-1)).toBe(9);
      expect(summarize(received).map(([name]) => name)).toEqual(moves.map(() => 'read-markers patched'));
    });
  });
}
