import { describe, expect, test } from 'vitest';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages, listChannels } from '../../../src/features/messages/queries.ts';
import { listen, nowAndReopened, type OpenStore, summarize, trio, wholePage } from './fixture.ts';

export function messagesContract(open: OpenStore): void {
  describe('messages', () => {
    test('a message is listed to all participants as it was returned, also after a reopen', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      clock.advance(1);
      const message = await db.write(sendMessage, grace, channelId, 'hello 👋');
      expect(message).toEqual({
        _id: message._id,
        channelId,
        senderId: grace.wallet,
        content: 'hello 👋',
        createdAt: clock.now,
        updatedAt: clock.now,
      });
      for await (const one of nowAndReopened(fixture)) {
        for (const member of [ada, grace]) {
          expect(await one.read(listChannelMessages, member, channelId, wholePage)).toEqual({
            total: 1,
            rows: [message],
          });
        }
        expect((await one.read(listChannels, ada, wholePage)).rows[0]?.updatedAt).toBe(clock.now);
      }
    });

    test('messages are listed newest first, those of one millisecond by id, in pages with the total', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const sent = await Promise.all([1, 2, 3].map((n) => db.write(sendMessage, ada, channelId, `${n}`)));
      clock.advance(1);
      sent.push(await db.write(sendMessage, ada, channelId, '4'));
      const newestFirst = sent
        .toSorted((a, b) => b.createdAt - a.createdAt || (a._id < b._id ? 1 : -1))
        .map(({ _id }) => _id);
      const listed = async (limit: number, skip: number) => {
        const { total, rows } = await db.read(listChannelMessages, ada, channelId, { limit, skip });
        return { total, ids: rows.map(({ _id }) => _id) };
      };
      expect(await listed(250, 0)).toEqual({ total: 4, ids: newestFirst });
      expect(await listed(2, 1)).toEqual({ total: 4, ids: newestFirst.slice(1, 3) });
      expect(await listed(2, 9)).toEqual({ total: 4, ids: [] });
    });

    test('an edit changes the content and its timestamp, and nothing else', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const sent = await db.write(sendMessage, ada, channelId, 'helo');
      clock.advance(3);
      const edited = await db.write(editMessage, ada, sent._id, 'hello');
      expect(edited).toEqual({ ...sent, content: 'hello', updatedAt: clock.now });
      const store2 = await fixture.reopen();
      expect(await store2.read(listChannelMessages, grace, channelId, wholePage)).toEqual({
        total: 1,
        rows: [edited],
      });
    });

    test('an unsent message is permanently removed from the list and the total, and cannot be changed again', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const sent = await db.write(sendMessage, ada, channelId, 'never mind');
      const kept = await db.write(sendMessage, ada, channelId, 'this stays');
      clock.advance(3);
      expect(await db.write(unsendMessage, ada, sent._id)).toEqual({
        _id: sent._id,
        channelId,
        senderId: ada.wallet,
        createdAt: sent.createdAt,
        updatedAt: clock.now,
      });
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(listChannelMessages, grace, channelId, wholePage)).toEqual({
          total: 1,
          rows: [kept],
        });
        await expect(one.write(unsendMessage, ada, sent._id)).rejects.toMatchObject({
          reason: 'message_unknown',
        });
        await expect(one.write(editMessage, ada, sent._id, 'back')).rejects.toMatchObject({
          reason: 'message_unknown',
        });
      }
    });

    test('of many concurrent unsends of a message, one succeeds, and it is announced once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const { _id } = await db.write(sendMessage, ada, channelId, 'oops');
      const received = listen(db);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 5 }, () => db.write(unsendMessage, ada, _id)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(summarize(received)).toEqual([['chat-messages removed', 3]]);
      expect(await db.read(listChannelMessages, ada, channelId, wholePage)).toEqual({
        total: 0,
        rows: [],
      });
    });

    test('events of a channel are delivered in order to its participants, without the content once unsent', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const received = listen(db);
      const channel = await db.write(createChannel, ada, [grace.wallet]);
      const sent = await db.write(sendMessage, ada, channel._id, 'one');
      const edited = await db.write(editMessage, ada, sent._id, 'two');
      const removed = await db.write(unsendMessage, ada, sent._id);
      expect(received).toMatchObject([
        { name: 'message-channels created', seq: 1, record: channel },
        { name: 'chat-messages created', seq: 2, record: sent },
        { name: 'chat-messages patched', seq: 3, record: edited },
        { name: 'chat-messages removed', seq: 4, record: removed },
      ]);
      expect(received[3]?.record).not.toHaveProperty('content');
      for (const { stream, epoch, audience } of received) {
        expect({ stream, epoch }).toEqual({ stream: received[0]?.stream, epoch: received[0]?.epoch });
        expect(audience).toMatchObject({ kind: 'players', gameId: ada.gameId });
      }
    });
  });
}
