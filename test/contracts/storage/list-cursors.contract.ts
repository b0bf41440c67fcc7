import { describe, expect, test } from 'vitest';
import type { ListOrder } from '../../../src/core/schemas/list-cursor.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import {
  addToChannel,
  createChannel,
  removeFromChannel,
} from '../../../src/features/messages/channel-commands.ts';
import { listChannelsFrom, listMessagesFrom } from '../../../src/features/messages/cursor-queries.ts';
import { sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import { listChannelMessages, listChannels } from '../../../src/features/messages/queries.ts';
import { randomWallet } from '../../support/server.ts';
import { type OpenStore, trio, wholePage } from './fixture.ts';

/** The content of a cursor. */
const behindOf = (cursor: string) => Buffer.from(cursor, 'base64url').toString().slice(2);

export function listCursorsContract(open: OpenStore): void {
  describe('lists with cursors', () => {
    /** Reads all messages, running something after each page; returns the content of each page. */
    async function readOn(
      db: Database,
      owner: Owner,
      channelId: string,
      {
        order,
        limit,
        between = async () => {},
      }: { order: ListOrder; limit: number; between?: () => Promise<unknown> },
    ): Promise<string[][]> {
      const pages: string[][] = [];
      for (let behind: string | null = null; ; ) {
        const page = await db.read(listMessagesFrom, owner, channelId, { limit, order, behind });
        pages.push(page.rows.map(({ content }) => content));
        if (!page.end?.more) return pages;
        behind = behindOf(page.end.nextCursor);
        await between();
      }
    }

    test('messages are paged from either end, each once, although others are sent and unsent meanwhile', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const ids: string[] = [];
      for (let n = 1; n <= 10; n++) ids.push((await db.write(sendMessage, ada, channelId, `${n}`))._id);
      expect(await readOn(db, grace, channelId, { order: 'oldest', limit: 4 })).toEqual([
        ['1', '2', '3', '4'],
        ['5', '6', '7', '8'],
        ['9', '10'],
      ]);
      let sent = 10;
      const disturb = async () => {
        await db.write(sendMessage, grace, channelId, `${++sent}`);
        // The row that the cursor points at may be deleted.
        await db.write(unsendMessage, ada, ids[sent === 11 ? 6 : 3] ?? '').catch(() => undefined);
      };
      const newest = await readOn(db, grace, channelId, { order: 'newest', limit: 4, between: disturb });
      expect(newest).toEqual([
        ['10', '9', '8', '7'],
        ['6', '5', '4', '3'],
        ['2', '1'],
      ]);
      expect(await readOn(db, grace, channelId, { order: 'oldest', limit: 100 })).toEqual([
        ['1', '2', '3', '5', '6', '8', '9', '10', '11', '12'],
      ]);
    });

    test('oldest first, the last cursor continues with later messages, and an empty channel has one too', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      let behind: string | null = null;
      for (const content of ['one', 'two']) {
        const page = { limit: 10, order: 'oldest' as const, behind };
        const before = await db.read(listMessagesFrom, grace, channelId, page);
        expect(before).toMatchObject({ rows: [], end: { more: false } });
        await db.write(sendMessage, ada, channelId, content);
        behind = behindOf(before.end?.nextCursor ?? '');
        const after = await db.read(listMessagesFrom, grace, channelId, { ...page, behind });
        expect(after.rows.map((row) => row.content)).toEqual([content]);
        behind = behindOf(after.end?.nextCursor ?? '');
      }
    });

    test("pages by cursor equal those by skip, without messages from a player's absence", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace, eve] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, eve.wallet]);
      const say = async (...contents: string[]) => {
        for (const content of contents) await db.write(sendMessage, grace, channelId, content);
      };
      await say('1', '2', '3');
      for (const round of ['a', 'b']) {
        await db.write(removeFromChannel, ada, channelId, eve.wallet);
        await say(`canary ${round}`, `canary ${round}`);
        await db.write(addToChannel, ada, channelId, eve.wallet);
        await say(`4${round}`, `5${round}`);
      }
      const shown = ['1', '2', '3', '4a', '5a', '4b', '5b'];
      const { total, rows } = await db.read(listChannelMessages, eve, channelId, wholePage);
      expect(rows.map(({ content }) => content)).toEqual(shown.toReversed());
      for (const limit of [1, 2, 3, 7, 8]) {
        const oldest = await readOn(db, eve, channelId, { order: 'oldest', limit });
        expect(oldest.flat()).toEqual(shown);
        expect(oldest.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        expect((await readOn(db, eve, channelId, { order: 'newest', limit })).flat()).toEqual(
          shown.toReversed(),
        );
      }
      const page = { limit: 2, order: 'newest' as const, behind: null };
      expect((await db.read(listMessagesFrom, eve, channelId, page)).total).toBe(total);
      const stranger = { gameId: eve.gameId, wallet: randomWallet() };
      await expect(db.read(listMessagesFrom, stranger, channelId, page)).rejects.toMatchObject({
        reason: 'channel_unknown',
      });
    });

    test('channels are paged; oldest first none is skipped, although they are written to meanwhile', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada] = await trio(db);
      const made: string[] = [];
      for (let n = 0; n < 7; n++) {
        if (n % 2) clock.advance(1); // two of each millisecond
        made.push((await db.write(createChannel, ada, [randomWallet()]))._id);
      }
      const all = async (order: ListOrder, between = async () => {}) => {
        const seen: string[] = [];
        for (let behind: string | null = null; ; ) {
          const page = await db.read(listChannelsFrom, ada, { limit: 3, order, behind });
          seen.push(...page.rows.map(({ _id }) => _id));
          expect(page.total).toBe(7);
          if (!page.end?.more) return seen;
          behind = behindOf(page.end.nextCursor);
          await between();
        }
      };
      const bySkip = (await db.read(listChannels, ada, wholePage)).rows.map(({ _id }) => _id);
      expect(await all('newest')).toEqual(bySkip);
      expect(await all('oldest')).toEqual(bySkip.toReversed());
      let times = 0;
      const oldest = await all('oldest', async () => {
        clock.advance(1);
        if (times++ < 2) await db.write(sendMessage, ada, made[6] ?? '', 'up it goes');
      });
      expect(new Set(oldest)).toEqual(new Set(made));
      expect(oldest.at(-1)).toBe(made[6]);
      const before = (await db.read(listChannels, ada, wholePage)).rows.map(({ _id }) => _id);
      const newest = await all('newest', async () => {
        clock.advance(1);
        await db.write(sendMessage, ada, before[0] ?? '', 'up again');
      });
      expect(newest).toEqual(before); // none twice
    });
  });
}
