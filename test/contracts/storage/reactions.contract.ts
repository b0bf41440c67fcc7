import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import {
  editMessage,
  eraseMessagesOf,
  sendMessage,
  unsendMessage,
} from '../../../src/features/messages/message-commands.ts';
import {
  listChannelMessages,
  listChannels,
  listMessagesForModeration,
} from '../../../src/features/messages/queries.ts';
import { maxReactionKinds } from '../../../src/features/messages/reaction.ts';
import {
  addReactionTo,
  eraseReactionsOf,
  removeReactionFrom,
} from '../../../src/features/messages/reaction-commands.ts';
import { rowOverheadBytes } from '../../../src/features/storage-quota/game-storage.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { listen, nowAndReopened, type OpenStore, summarize, trio, wholePage } from './fixture.ts';

export function reactionsContract(open: OpenStore): void {
  describe('reactions', () => {
    /** A message of Ada's, in a channel with Grace. */
    async function conversation(db: Database) {
      const [ada, grace, eve] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const message = await db.write(sendMessage, ada, channelId, 'We won');
      return { ada, grace, eve, channelId, message, messageId: message._id };
    }

    async function reactionsIn(db: Database, reader: Owner, channelId: string) {
      const { rows } = await db.read(listChannelMessages, reader, channelId, wholePage);
      return rows.map(({ reactions }) => reactions);
    }

    /** How many bytes of storage a player uses. */
    async function storedBy(db: Database, { gameId, wallet }: Owner): Promise<number> {
      const [row] = await rowsIn(
        db,
        'SELECT bytes FROM storage_use WHERE wallet = @wallet AND game_id = @gameId',
        { gameId, wallet },
      );
      return Object(row).bytes ?? 0;
    }

    test("a message shows its reactions in the order of first use, and marks each player's own", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, channelId, messageId } = await conversation(db);
      await db.write(addReactionTo, grace, messageId, '🎉');
      await db.write(addReactionTo, ada, messageId, 'gg');
      expect(await db.write(addReactionTo, ada, messageId, '🎉')).toEqual({
        messageId,
        channelId,
        reactions: [
          { reaction: '🎉', count: 2, own: true },
          { reaction: 'gg', count: 1, own: true },
        ],
      });
      for await (const one of nowAndReopened(fixture)) {
        expect(await reactionsIn(one, grace, channelId)).toEqual([
          [
            { reaction: '🎉', count: 2, own: true },
            { reaction: 'gg', count: 1 },
          ],
        ]);
        const { rows } = await one.read(listMessagesForModeration, channelId, wholePage);
        expect(rows[0]?.reactions).toEqual([
          { reaction: '🎉', count: 2 },
          { reaction: 'gg', count: 1 },
        ]);
      }
    });

    test('each change is announced once, with the count, to the channel; a no-op is not announced', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { ada, grace, channelId, messageId } = await conversation(db);
      const { rows: before } = await db.read(listChannels, ada, wholePage);
      clock.advance(5);
      const received = listen(db);
      await db.write(addReactionTo, grace, messageId, '🎉');
      await db.write(addReactionTo, grace, messageId, '🎉');
      await db.write(addReactionTo, ada, messageId, '🎉');
      await db.write(removeReactionFrom, grace, messageId, '🎉');
      await db.write(removeReactionFrom, grace, messageId, '🎉');
      const last = await db.write(removeReactionFrom, ada, messageId, '🎉');
      expect(last.reactions).toEqual([]);
      const told = (wallet: string, count: number) => ({
        channelId,
        messageId,
        wallet,
        reaction: '🎉',
        count,
        at: clock.now,
      });
      expect(received.map(({ name, record }) => [name, record])).toEqual([
        ['message-reactions created', told(grace.wallet, 1)],
        ['message-reactions created', told(ada.wallet, 2)],
        ['message-reactions removed', told(grace.wallet, 1)],
        ['message-reactions removed', told(ada.wallet, 0)],
      ]);
      for (const { stream, audience } of received) {
        expect(stream).toBe(`channel:${channelId}`);
        expect(audience).toMatchObject({ kind: 'players', wallets: [ada.wallet, grace.wallet] });
      }
      expect(await reactionsIn(db, ada, channelId)).toEqual([undefined]);
      // Its position in the list is unchanged.
      expect((await db.read(listChannels, ada, wholePage)).rows).toEqual(before);
    });

    test('an edit keeps the reactions, and its event includes them', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, channelId, messageId } = await conversation(db);
      await db.write(addReactionTo, grace, messageId, 'gg');
      const received = listen(db);
      const edited = await db.write(editMessage, ada, messageId, 'We have won');
      expect(edited.reactions).toEqual([{ reaction: 'gg', count: 1 }]);
      expect(received).toMatchObject([{ record: edited }]);
      expect(await reactionsIn(db, grace, channelId)).toEqual([[{ reaction: 'gg', count: 1, own: true }]]);
    });

    test('a message has at most 20 different reactions, and an existing one can still be counted up', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, messageId } = await conversation(db);
      for (let n = 0; n < maxReactionKinds; n++) await db.write(addReactionTo, ada, messageId, `e${n}`);
      await expect(db.write(addReactionTo, grace, messageId, 'more')).rejects.toMatchObject({
        reason: 'reaction_limit_reached',
      });
      const { reactions } = await db.write(addReactionTo, grace, messageId, 'e7');
      expect(reactions).toHaveLength(maxReactionKinds);
      expect(reactions[7]).toEqual({ reaction: 'e7', count: 2, own: true });
    });

    test('reactions count towards the storage of the reacting player, until they or the message are removed', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { ada, grace, messageId } = await conversation(db);
      const quota = 2 * rowOverheadBytes;
      await db.write(addReactionTo, grace, messageId, 'a', quota);
      await db.write(addReactionTo, grace, messageId, 'b', quota);
      await expect(db.write(addReactionTo, grace, messageId, 'c', quota)).rejects.toMatchObject({
        reason: 'storage_full',
      });
      expect(await storedBy(db, grace)).toBe(quota);
      await db.write(removeReactionFrom, grace, messageId, 'a');
      expect(await storedBy(db, grace)).toBe(rowOverheadBytes);
      await db.write(unsendMessage, ada, messageId);
      expect([await storedBy(db, grace), await storedBy(db, ada)]).toEqual([0, 0]);
      expect(await rowsIn(db, 'SELECT * FROM message_reactions', {})).toEqual([]);
    });

    test('messages hidden from a player are unknown', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, eve, channelId, messageId } = await conversation(db);
      await db.write(addToChannel, ada, channelId, eve.wallet);
      await db.write(addReactionTo, eve, messageId, 'gg');
      await db.write(removeFromChannel, ada, channelId, eve.wallet);
      const { _id: meanwhile } = await db.write(sendMessage, grace, channelId, 'canary');
      const refusals = async (id: string) => {
        for (const write of [addReactionTo, removeReactionFrom]) {
          await expect(db.write(write, eve, id, 'gg')).rejects.toMatchObject({ reason: 'message_unknown' });
        }
      };
      await refusals(messageId);
      await refusals('none');
      await db.write(addToChannel, ada, channelId, eve.wallet);
      await refusals(meanwhile);
      // Earlier reactions are still there.
      expect((await db.write(removeReactionFrom, eve, messageId, 'gg')).reactions).toEqual([]);
    });

    test('erasing a player removes their reactions, and those to their messages', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { ada, grace, channelId, messageId } = await conversation(db);
      const { _id: other } = await db.write(sendMessage, grace, channelId, 'Indeed');
      for (const id of [messageId, other]) {
        for (const player of [ada, grace]) await db.write(addReactionTo, player, id, 'gg');
      }
      await db.write(removeFromChannel, grace, channelId, grace.wallet);
      const received = listen(db);
      expect(await db.write(eraseReactionsOf, grace.wallet)).toBe(false);
      expect(summarize(received).map(([name]) => name)).toEqual([
        'message-reactions removed',
        'message-reactions removed',
      ]);
      expect(await reactionsIn(db, ada, channelId)).toEqual([
        [{ reaction: 'gg', count: 1, own: true }],
        [{ reaction: 'gg', count: 1, own: true }],
      ]);
      await db.write(eraseMessagesOf, grace.wallet);
      await db.write(unsendMessage, ada, messageId);
      expect(await rowsIn(db, 'SELECT * FROM message_reactions', {})).toEqual([]);
      expect([await storedBy(db, ada), await storedBy(db, grace)]).toEqual([0, 0]);
    });

    test('of many concurrent reactions, each counts once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, channelId, messageId } = await conversation(db);
      const received = listen(db);
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => db.write(addReactionTo, n % 2 ? ada : grace, messageId, 'gg')),
      );
      expect(await reactionsIn(db, ada, channelId)).toEqual([[{ reaction: 'gg', count: 2, own: true }]]);
      expect(received.map(({ record }) => Object(record).count)).toEqual([1, 2]);
    });
  });
}
