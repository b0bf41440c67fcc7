import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../../src/core/events/stream.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { eraseRows } from '../../../src/features/administration/erasing-commands.ts';
import { exportGame } from '../../../src/features/administration/game-export.ts';
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
import { tables } from '../../../src/server/declarations/tables.ts';
import { randomWallet } from '../../support/server.ts';
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
      const summarize = (events: readonly Pick<StoredEvent, 'name' | 'audience'>[]) =>
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

    test('of a launcher hold in every game, and end in all at once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, inGames, launcher } = await inTwoGames(db);
      const first = inGames(ada)[0];
      await db.write(block, first, grace); // in one game, before
      const received = listen(db);
      await db.write(block, launcher, grace);
      await db.write(block, launcher, grace);
      await db.write(block, inGames(ada)[1], grace); // is blocked there already
      expect(received).toMatchObject([
        {
          name: 'player-blocks patched',
          record: { gameId: launcher.gameId, everywhere: true },
          audience: { gameId: launcher.gameId, wallets: [ada] },
        },
      ]);
      for (const owner of inGames(ada)) {
        const blocked = { gameId: owner.gameId, wallet: grace };
        await expect(db.write(createChannel, blocked, [ada])).rejects.toMatchObject({
          reason: 'adding_declined',
        });
        await expect(db.write(createChannel, owner, [grace])).rejects.toMatchObject({
          reason: 'player_blocked',
        });
        await expect(db.write(unblock, owner, grace)).rejects.toMatchObject({ reason: 'blocked_everywhere' });
        const { _id: channelId } = await db.write(createChannel, { ...owner, wallet: linus }, [ada, grace]);
        received.length = 0;
        const { _id: original } = await db.write(sendMessage, blocked, channelId, 'hers');
        await db.write(sendMessage, { ...owner, wallet: linus }, channelId, 'his', undefined, original);
        expect(received).toMatchObject([
          { audience: { wallets: expect.not.arrayContaining([ada]), hiddenFrom: [ada] } },
          { audience: { wallets: expect.arrayContaining([ada]) } },
        ]);
        expect(received[1]?.audience).not.toHaveProperty('hiddenFrom');
        for (const one of [await fixture.openOtherProcess(), fixture.db]) {
          const page = await one.read(listChannelMessages, owner, channelId, wholePage);
          expect(page).toMatchObject({ total: 1, rows: [{ content: 'his' }] });
          expect(page).not.toHaveProperty('originals');
          const from = { limit: 10, order: 'newest', behind: null } as const;
          expect(await one.read(listMessagesFrom, owner, channelId, from)).toMatchObject({ total: 1 });
          expect(await one.read(findUnread, owner, channelId)).toMatchObject({ unreadCount: 1 });
          expect(await one.read(typingRecipients, blocked, channelId)).toEqual([linus]);
          const replayed = await one.read(eventsOfStream, `channel:${channelId}`, 1, 10, {
            wallet: ada,
            gameId: null,
          });
          expect(replayed.map(({ name }) => name)).toEqual([
            'realtime-events skipped',
            'chat-messages created',
          ]);
          expect(await one.read(listBlocked, owner, wholePage)).toEqual({
            total: 1,
            rows: [{ wallet: grace, username: '', createdAt: expect.any(Number), everywhere: true }],
          });
        }
        await db.write(block, owner, linus);
        expect((await db.read(listBlocked, owner, wholePage)).total).toBe(2);
        await db.write(unblock, owner, linus);
      }
      expect(await db.read(listBlocked, launcher, wholePage)).toMatchObject({
        total: 1,
        rows: [{ wallet: grace, everywhere: true }],
      });
      received.length = 0;
      await db.write(unblock, launcher, grace);
      expect(received.map(({ record }) => record)).toEqual([
        expect.objectContaining({ gameId: launcher.gameId, everywhere: true }),
        { gameId: first.gameId, normalizedAddress: ada, updatedAt: expect.any(Number) },
      ]);
      await expect(db.write(unblock, launcher, grace)).rejects.toMatchObject({
        reason: 'player_not_blocked',
      });
      for (const owner of inGames(ada)) {
        expect((await db.read(listBlocked, owner, wholePage)).total).toBe(0);
        expect((await db.write(createChannel, owner, [grace])).participants).toHaveLength(2);
      }
    });

    test('of a launcher are removed with either player, and stay when a game is exported', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { ada, grace, linus, launcher } = await inTwoGames(db);
      await db.write(block, launcher, grace);
      await db.write(block, { ...launcher, wallet: linus }, ada);
      const exported: string[] = [];
      await db.read(exportGame, tables, launcher.gameId, null, ({ type }) => exported.push(type));
      expect(exported).toContain('games');
      expect(exported).not.toContain('player_blocks');
      await db.write(removeBlocksOn, ada);
      const none = { total: 0, rows: [] };
      expect(await db.read(listBlocked, { ...launcher, wallet: linus }, wholePage)).toEqual(none);
      const rows = {
        table: 'player_blocks',
        owner: 'wallet',
        key: ['wallet', 'game_id', 'blocked'],
        returning: null,
      };
      await db.write(eraseRows, [rows], ada);
      expect(await db.read(listBlocked, launcher, wholePage)).toEqual(none);
    });
  });
}

/** Three players in two games, and the first in a launcher. */
async function inTwoGames(db: Store) {
  const games = [await addGame(db), await addGame(db)] as const;
  const { id } = await addGame(db, { kind: 'launcher' });
  const [ada, grace, linus] = [randomWallet(), randomWallet(), randomWallet()];
  for (const game of games) for (const wallet of [ada, grace, linus]) await addPlayer(db, game.id, wallet);
  const launcher = { ...(await addPlayer(db, id, ada)), everywhere: true };
  const inGames = (wallet: string) =>
    [
      { gameId: games[0].id, wallet },
      { gameId: games[1].id, wallet },
    ] as const;
  return { ada, grace, linus, inGames, launcher };
}
