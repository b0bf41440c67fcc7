import { describe, expect, test } from 'vitest';
import { eventsAfter, eventsOfStream } from '../../../src/features/events/queries.ts';
import { block, removeBlocksOn, unblock } from '../../../src/features/messages/blocks/commands.ts';
import { listBlocked } from '../../../src/features/messages/blocks/queries.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import { listMessagesFrom } from '../../../src/features/messages/cursor-queries.ts';
import { editMessage, sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages, typingRecipients } from '../../../src/features/messages/queries.ts';
import { addReactionTo } from '../../../src/features/messages/reaction-commands.ts';
import { findUnread } from '../../../src/features/messages/unread.ts';
import { addGame, addPlayer, listen, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

/** The contract of commands and queries about blocks between players. */
export function blocksContract(open: OpenStore): void {
  describe('blocks', () => {
    test('are listed per game, latest first, and end when removed', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace, linus] = await trio(db);
      const received = listen(db);
      await db.write(block, ada, grace.wallet);
      await db.write(block, ada, grace.wallet);
      clock.advance(1);
      await db.write(block, ada, linus.wallet);
      expect(received).toMatchObject([
        { name: 'player-blocks patched', audience: { wallets: [ada.wallet] } },
        { name: 'player-blocks patched' },
      ]);
      expect(JSON.stringify(received)).not.toContain(grace.wallet);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(listBlocked, ada, wholePage)).toMatchObject({
          total: 2,
          rows: [{ wallet: linus.wallet, createdAt: clock.now }, { wallet: grace.wallet }],
        });
        const elsewhere = await addPlayer(one, (await addGame(one)).id, ada.wallet);
        expect(await one.read(listBlocked, elsewhere, wholePage)).toEqual({ total: 0, rows: [] });
        const refused = one.write(unblock, elsewhere, grace.wallet);
        await expect(refused).rejects.toMatchObject({ reason: 'player_not_blocked' });
      }
      const again = await fixture.openOtherProcess();
      await again.write(unblock, ada, linus.wallet);
      expect((await again.read(listBlocked, ada, wholePage)).rows.map(({ wallet }) => wallet)).toEqual([
        grace.wallet,
      ]);
      await again.write(removeBlocksOn, grace.wallet);
      expect((await again.read(listBlocked, ada, wholePage)).total).toBe(0);
      const unknown = again.write(block, ada, `0x${'9'.repeat(40)}`);
      await expect(unknown).rejects.toMatchObject({ reason: 'player_unknown' });
    });

    test('keep either player from adding the other to a channel', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id } = await db.write(createChannel, grace, [linus.wallet]);
      await db.write(block, ada, grace.wallet);
      for (const [attempt, reason] of [
        [() => db.write(createChannel, grace, [ada.wallet]), 'adding_declined'],
        [() => db.write(createChannel, grace, [linus.wallet, ada.wallet]), 'adding_declined'],
        [() => db.write(addToChannel, grace, _id, ada.wallet), 'adding_declined'],
        [() => db.write(createChannel, ada, [grace.wallet]), 'player_blocked'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
      const { participants } = await db.write(createChannel, linus, [ada.wallet, grace.wallet]);
      expect(participants).toHaveLength(3);
      await db.write(unblock, ada, grace.wallet);
      expect((await db.write(addToChannel, grace, _id, ada.wallet)).participants).toHaveLength(3);
    });

    test('hide messages, edits, removals and typing from the blocking player, and from nobody else', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, linus, [ada.wallet, grace.wallet]);
      await db.write(block, ada, grace.wallet);
      const received = listen(db);
      const sent = await db.write(sendMessage, grace, channelId, 'one');
      await db.write(editMessage, grace, sent._id, 'two');
      await db.write(unsendMessage, grace, sent._id);
      await db.write(sendMessage, linus, channelId, 'three');
      const everyone = [linus.wallet, ada.wallet, grace.wallet];
      const others = [linus.wallet, grace.wallet];
      const expected = [
        ['chat-messages created', others, [ada.wallet]],
        ['chat-messages patched', others, [ada.wallet]],
        ['chat-messages removed', others, [ada.wallet]],
        ['chat-messages created', everyone.toSorted(), undefined],
      ];
      const summarize = (events: typeof received) =>
        events.map(({ name, audience }) =>
          audience.kind === 'players'
            ? [name, audience.wallets.toSorted(), audience.hiddenFrom]
            : [name, audience],
        );
      const sorted = expected.map(([name, wallets, hidden]) => [
        name,
        [...(wallets ?? [])].toSorted(),
        hidden,
      ]);
      expect(summarize(received)).toEqual(sorted);
      const before = { [received[0]?.lane ?? 0]: (received[0]?.position ?? 0) - 1 };
      for (const one of [await fixture.openOtherProcess(), await fixture.reopen()]) {
        expect(summarize((await one.read(eventsAfter, before, 100)).events)).toEqual(sorted);
        const replayed = async (listener: typeof ada) =>
          (await one.read(eventsOfStream, `channel:${channelId}`, 1, 100, listener)).map(
            ({ name, seq, record }) => [name, seq, record !== '{}'],
          );
        const names = received.map(({ name, seq }) => [name, seq, true]);
        expect(await replayed(linus)).toEqual(names);
        expect(await replayed(ada)).toEqual([
          ...[2, 3, 4].map((seq) => ['realtime-events skipped', seq, false]),
          ...names.slice(3),
        ]);
        expect((await one.read(typingRecipients, grace, channelId)).toSorted()).toEqual([linus.wallet]);
        expect(await one.read(typingRecipients, linus, channelId)).toHaveLength(2);
      }
    });

    test('filter lists and their totals, page by page, also after an absence; a server sees all', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, linus, [ada.wallet, grace.wallet]);
      const say = async (who: typeof ada, what: string) => db.write(sendMessage, who, channelId, what);
      for (let n = 1; n <= 6; n++) await say(n % 2 === 0 ? grace : linus, `${n}`);
      await db.write(removeFromChannel, linus, channelId, ada.wallet);
      await say(linus, 'while away');
      await say(grace, 'also while away');
      await db.write(addToChannel, linus, channelId, ada.wallet);
      for (let n = 7; n <= 10; n++) await say(n % 2 === 0 ? grace : linus, `${n}`);
      await db.write(block, ada, grace.wallet);
      await db.write(removeFromChannel, grace, channelId, grace.wallet);
      for await (const one of nowAndReopened(fixture)) {
        const listed = async (limit: number, skip: number, isServer = false) => {
          const page = { limit, skip };
          const { total, rows } = await one.read(listChannelMessages, ada, channelId, page, isServer);
          return [total, rows.map(({ content }) => content).join(' ')];
        };
        expect(await listed(250, 0)).toEqual([5, '9 7 5 3 1']);
        expect(await listed(2, 0)).toEqual([5, '9 7']);
        expect(await listed(2, 1)).toEqual([5, '7 5']);
        expect(await listed(2, 3)).toEqual([5, '3 1']);
        expect(await listed(2, 5)).toEqual([5, '']);
        expect(await listed(250, 0, true)).toEqual([10, '10 9 8 7 6 5 4 3 2 1']);
        const byCursor = async (order: 'newest' | 'oldest', limit: number, isServer = false) => {
          const page = { limit, order, behind: null };
          const { total, rows, end } = await one.read(listMessagesFrom, ada, channelId, page, isServer);
          return [total, rows.map(({ content }) => content).join(' '), end?.more];
        };
        expect(await byCursor('newest', 2)).toEqual([5, '9 7', true]);
        expect(await byCursor('oldest', 5)).toEqual([5, '1 3 5 7 9', false]);
        expect(await byCursor('oldest', 3, true)).toEqual([10, '1 2 3', true]);
        expect((await one.read(listChannelMessages, linus, channelId, wholePage)).total).toBe(12);
      }
    });

    test('filter unread counts and replied-to messages, and hide reactions', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, linus, [ada.wallet, grace.wallet]);
      const { _id: original } = await db.write(sendMessage, grace, channelId, 'hers');
      const { _id: reply } = await db.write(sendMessage, linus, channelId, 'his', undefined, original);
      const unread = async (who: typeof ada) => (await db.read(findUnread, who, channelId)).unreadCount;
      expect(await unread(ada)).toBe(2);
      await db.write(block, ada, grace.wallet);
      expect(await unread(ada)).toBe(1);
      const last = { limit: 1, skip: 0 };
      expect(await db.read(listChannelMessages, ada, channelId, last)).toEqual({
        total: 1,
        rows: [expect.objectContaining({ content: 'his', replyTo: original })],
      });
      expect(await db.read(listChannelMessages, linus, channelId, last)).toMatchObject({
        originals: [{ content: 'hers' }],
      });
      const received = listen(db);
      await db.write(addReactionTo, grace, reply, '🎉');
      await db.write(addReactionTo, ada, reply, '🎉');
      expect(received).toMatchObject([
        { name: 'message-reactions created', audience: { hiddenFrom: [ada.wallet] } },
        { name: 'message-reactions created', record: { count: 2 } },
      ]);
      expect(received[1]?.audience).not.toHaveProperty('hiddenFrom');
      const { seq } = received[0] ?? { seq: 0 };
      const replayed = await db.read(eventsOfStream, `channel:${channelId}`, seq - 1, 100, ada);
      expect(replayed.map(({ name }) => name)).toEqual([
        'realtime-events skipped',
        'message-reactions created',
      ]);
    });
  });
}
