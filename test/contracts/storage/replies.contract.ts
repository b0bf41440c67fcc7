import { describe, expect, test } from 'vitest';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages, listMessagesForModeration } from '../../../src/features/messages/queries.ts';
import { listen, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

export function repliesContract(open: OpenStore): void {
  describe('replies', () => {
    test('a reply carries its target message in its result, its event, its edits and lists', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const question = await db.write(sendMessage, ada, channelId, 'Ready?');
      const received = listen(db);
      const reply = await db.write(sendMessage, grace, channelId, 'Yes', undefined, question._id);
      expect(reply).toMatchObject({ content: 'Yes', senderId: grace.wallet, replyTo: question._id });
      expect(question).not.toHaveProperty('replyTo');
      const edited = await db.write(editMessage, grace, reply._id, 'Yes!');
      expect(edited).toEqual({ ...reply, content: 'Yes!', updatedAt: edited.updatedAt });
      expect(received).toMatchObject([
        { name: 'chat-messages created', record: reply },
        { name: 'chat-messages patched', record: edited },
      ]);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(listChannelMessages, ada, channelId, wholePage)).toEqual({
          total: 2,
          rows: [edited, question],
        });
      }
    });

    test('a page includes the replied-to messages in their current state, unless it contains them itself', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const first = await db.write(sendMessage, ada, channelId, 'one');
      clock.advance(1);
      const second = await db.write(sendMessage, grace, channelId, 'two', undefined, first._id);
      clock.advance(1);
      const third = await db.write(sendMessage, ada, channelId, 'three', undefined, first._id);
      const now = await db.write(editMessage, ada, first._id, 'One');
      expect(await db.read(listChannelMessages, ada, channelId, { limit: 2, skip: 0 })).toEqual({
        total: 3,
        rows: [third, second],
        originals: [now],
      });
      expect(await db.read(listMessagesForModeration, channelId, { limit: 1, skip: 0 })).toMatchObject({
        originals: [now],
      });
      expect(await db.read(listChannelMessages, ada, channelId, { limit: 1, skip: 2 })).not.toHaveProperty(
        'originals',
      );
    });

    test('a replied-to message may be unsent, and is then nowhere; the reply still refers to it', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const { _id: question } = await db.write(sendMessage, ada, channelId, 'never mind');
      const reply = await db.write(sendMessage, grace, channelId, 'What?', undefined, question);
      await db.write(unsendMessage, ada, question);
      expect(await db.read(listChannelMessages, grace, channelId, wholePage)).toEqual({
        total: 1,
        rows: [reply],
      });
      await expect(
        db.write(sendMessage, grace, channelId, 'Where?', undefined, question),
      ).rejects.toMatchObject({ reason: 'message_unknown' });
    });

    test('a reply must be to a message of the same channel', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, eve] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const { _id: other } = await db.write(createChannel, ada, [eve.wallet]);
      const { _id: elsewhere } = await db.write(sendMessage, ada, other, 'canary');
      for (const id of [elsewhere, 'none', crypto.randomUUID()]) {
        await expect(db.write(sendMessage, ada, channelId, 'hm', undefined, id)).rejects.toMatchObject({
          reason: 'message_unknown',
        });
      }
      expect((await db.read(listChannelMessages, ada, channelId, wholePage)).total).toBe(0);
    });

    test("messages from a player's absence are neither shown by a reply, nor can be replied to", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, eve] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, eve.wallet]);
      await db.write(removeFromChannel, ada, channelId, eve.wallet);
      const { _id: secret } = await db.write(sendMessage, grace, channelId, 'canary');
      await db.write(addToChannel, ada, channelId, eve.wallet);
      const reply = await db.write(sendMessage, ada, channelId, 'Sure', undefined, secret);
      expect(await db.read(listChannelMessages, eve, channelId, wholePage)).toEqual({
        total: 1,
        rows: [reply],
      });
      expect(await db.read(listChannelMessages, grace, channelId, { limit: 1, skip: 0 })).toMatchObject({
        originals: [{ _id: secret }],
      });
      await expect(db.write(sendMessage, eve, channelId, 'What?', undefined, secret)).rejects.toMatchObject({
        reason: 'message_unknown',
      });
    });
  });
}
