import { describe, expect, test } from 'vitest';
import { inShort, listen, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

export function messagesContract(open: OpenStore): void {
  describe('messages', () => {
    test('a message is listed to everyone in the channel as it was answered, also after a reopen', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace] = await trio(store);
      const { _id: channelId } = await store.messageChannels.create(ada, [grace.wallet]);
      clock.advance(1);
      const message = await store.messages.send(grace, channelId, 'hello 👋');
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
          expect(await one.messages.list(member, channelId, wholePage)).toEqual({
            total: 1,
            rows: [message],
          });
        }
        expect((await one.messageChannels.list(ada, wholePage)).rows[0]?.updatedAt).toBe(clock.now);
      }
    });

    test('messages are listed newest first, those of one millisecond by id, in pages that know the total', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace] = await trio(store);
      const { _id: channelId } = await store.messageChannels.create(ada, [grace.wallet]);
      const sent = await Promise.all([1, 2, 3].map((n) => store.messages.send(ada, channelId, `${n}`)));
      clock.advance(1);
      sent.push(await store.messages.send(ada, channelId, '4'));
      const newestFirst = sent
        .toSorted((a, b) => b.createdAt - a.createdAt || (a._id < b._id ? 1 : -1))
        .map(({ _id }) => _id);
      const listed = async (limit: number, skip: number) => {
        const { total, rows } = await store.messages.list(ada, channelId, { limit, skip });
        return { total, ids: rows.map(({ _id }) => _id) };
      };
      expect(await listed(250, 0)).toEqual({ total: 4, ids: newestFirst });
      expect(await listed(2, 1)).toEqual({ total: 4, ids: newestFirst.slice(1, 3) });
      expect(await listed(2, 9)).toEqual({ total: 4, ids: [] });
    });

    test('an edit changes the content and when, and nothing else', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace] = await trio(store);
      const { _id: channelId } = await store.messageChannels.create(ada, [grace.wallet]);
      const sent = await store.messages.send(ada, channelId, 'helo');
      clock.advance(3);
      const edited = await store.messages.edit(ada, sent._id, 'hello');
      expect(edited).toEqual({ ...sent, content: 'hello', updatedAt: clock.now });
      const store2 = await fixture.reopen();
      expect(await store2.messages.list(grace, channelId, wholePage)).toEqual({ total: 1, rows: [edited] });
    });

    test('an unsent message is gone from the list and the total, for good, and cannot be touched again', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const [ada, grace] = await trio(store);
      const { _id: channelId } = await store.messageChannels.create(ada, [grace.wallet]);
      const sent = await store.messages.send(ada, channelId, 'never mind');
      const kept = await store.messages.send(ada, channelId, 'this stays');
      clock.advance(3);
      expect(await store.messages.unsend(ada, sent._id)).toEqual({
        _id: sent._id,
        channelId,
        senderId: ada.wallet,
        createdAt: sent.createdAt,
        updatedAt: clock.now,
      });
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.messages.list(grace, channelId, wholePage)).toEqual({ total: 1, rows: [kept] });
        await expect(one.messages.unsend(ada, sent._id)).rejects.toMatchObject({ reason: 'message_unknown' });
        await expect(one.messages.edit(ada, sent._id, 'back')).rejects.toMatchObject({
          reason: 'message_unknown',
        });
      }
    });

    test('of many who unsend the same message at once, one succeeds and it is told once', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace] = await trio(store);
      const { _id: channelId } = await store.messageChannels.create(ada, [grace.wallet]);
      const { _id } = await store.messages.send(ada, channelId, 'oops');
      const heard = listen(store);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 5 }, () => store.messages.unsend(ada, _id)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(inShort(heard)).toEqual([['chat-messages removed', 3]]);
      expect(await store.messages.list(ada, channelId, wholePage)).toEqual({ total: 0, rows: [] });
    });

    test('what happens in a channel is told in order to who is in it, without the content once unsent', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const [ada, grace] = await trio(store);
      const heard = listen(store);
      const channel = await store.messageChannels.create(ada, [grace.wallet]);
      const sent = await store.messages.send(ada, channel._id, 'one');
      const edited = await store.messages.edit(ada, sent._id, 'two');
      const removed = await store.messages.unsend(ada, sent._id);
      expect(heard).toMatchObject([
        { name: 'message-channels created', seq: 1, record: channel },
        { name: 'chat-messages created', seq: 2, record: sent },
        { name: 'chat-messages patched', seq: 3, record: edited },
        { name: 'chat-messages removed', seq: 4, record: removed },
      ]);
      expect(heard[3]?.record).not.toHaveProperty('content');
      for (const { stream, epoch, audience } of heard) {
        expect({ stream, epoch }).toEqual({ stream: heard[0]?.stream, epoch: heard[0]?.epoch });
        expect(audience).toMatchObject({ kind: 'players', gameId: ada.gameId });
      }
    });
  });
}
