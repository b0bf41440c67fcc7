import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import { type Store, writeAll } from '../../../src/core/storage/store.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { readPlayerExport } from '../../../src/features/administration/player-export.ts';
import { addGuest } from '../../../src/features/guests/commands.ts';
import {
  addNews,
  changeNews,
  deleteNews,
  moveNewsMark,
  publishDueNews,
} from '../../../src/features/news/commands.ts';
import { isReadBy, maxNews, type NewsChanges } from '../../../src/features/news/news.ts';
import {
  isNewsDue,
  lastPublication,
  listNewsRows,
  listPublished,
  pageWithReading,
  publishedAfter,
} from '../../../src/features/news/queries.ts';
import type { NewsRow } from '../../../src/features/news/tables.ts';
import { requestSignIn } from '../../../src/features/sessions/sign-in-commands.ts';
import { addWebhook } from '../../../src/features/webhooks/commands.ts';
import { upgradeGuest } from '../../../src/server/declarations/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, hour, nowAndReopened, type OpenStore, wholePage } from './fixture.ts';
import { NewsModel, randomOf } from './news-model.ts';

const fromStart = { limit: 250, after: null };

/** The contract of commands and queries about news. */
export function newsContract(open: OpenStore): void {
  describe('news', () => {
    test('an item is published now, at its time, or when a draft gets one, and shown until it expires', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const add = (title: string, item: Omit<NewsChanges, 'title'> = {}) => addItem(db, gameId, title, item);
      const now = await add('now', { body: 'Hello', expiresAt: clock.now + 3 * hour });
      const later = await add('later', { publishAt: clock.now + hour });
      const draft = await add('draft', { publishAt: null });
      expect([now.status, later.status, draft.status]).toEqual(['published', 'scheduled', 'draft']);
      expect(now).toMatchObject({ gameId, body: 'Hello', version: 1, publishedAt: expect.any(Number) });
      expect(await titlesIn(db, gameId)).toEqual(['now']);
      expect(await db.read(isNewsDue)).toBe(false);
      clock.advance(hour);
      expect(await db.read(isNewsDue)).toBe(true);
      expect(await titlesIn(db, gameId)).toEqual(['now']);
      const before = await db.read(lastPublication);
      expect(before).toEqual({ publishedAt: now.publishedAt, newsId: now.newsId });
      for (let call = 0; call < 2; call++) expect(await db.write(publishDueNews)).toBe(false);
      clock.advance(hour);
      const item = await db.write(changeNews, draft.newsId, { publishAt: clock.now }, 1);
      expect(item).toMatchObject({ status: 'published', version: 2 });
      const published = await db.read(publishedAfter, before, 10);
      expect(published.map(({ id }) => id)).toEqual([later.newsId, draft.newsId]);
      expect(await db.read(lastPublication)).toEqual({ publishedAt: item.publishedAt, newsId: item.newsId });
      for await (const one of nowAndReopened(fixture)) {
        expect(await titlesIn(one, gameId)).toEqual(['draft', 'later', 'now']);
      }
      clock.advance(hour);
      expect(await titlesIn(fixture.db, gameId)).toEqual(['draft', 'later']);
      const listed = await fixture.db.read(listNewsRows, { gameId, status: 'expired', ...wholePage });
      expect([listed.total, listed.rows.map(({ id }) => id)]).toEqual([1, [now.newsId]]);
      await fixture.db.write(deleteNews, later.newsId);
      expect(await titlesIn(fixture.db, gameId)).toEqual(['draft']);
    });

    test('an item is queued for webhooks once, when it is published', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const { id: launcher } = await addGame(db, { kind: 'launcher' });
      for (const one of [gameId, launcher]) {
        await db.write(addWebhook, {
          gameId: one,
          url: 'https://a.example/',
          filter: 'all',
          sealedSecret: 's',
        });
      }
      const { newsId } = await addItem(db, gameId, 'later', { publishAt: clock.now + 1 });
      await db.write(changeNews, newsId, { title: 'Later' });
      expect(await deliveriesOf(db, gameId)).toEqual([]);
      clock.advance(1);
      await Promise.all([1, 2, 3].map(() => db.write(publishDueNews)));
      await db.write(changeNews, newsId, { title: 'Changed' });
      await addItem(db, '', 'everywhere');
      expect(await deliveriesOf(db, gameId)).toMatchObject([
        { type: 'news.created', data: { newsId, gameId, title: 'Later' } },
      ]);
      expect(await deliveriesOf(db, launcher)).toMatchObject([
        { type: 'news.created', data: { gameId: null, title: 'everywhere' } },
      ]);
    });

    test('an item that expired before it could be published is announced to nobody', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      await addItem(db, gameId, 'missed', { publishAt: clock.now + 1, expiresAt: clock.now + 2 });
      clock.advance(2);
      await db.write(addWebhook, { gameId, url: 'https://a.example/', filter: 'all', sealedSecret: 's' });
      await db.write(publishDueNews);
      expect(await deliveriesOf(db, gameId)).toEqual([]);
      expect(await db.read(isNewsDue)).toBe(false);
    });

    test('what does not fit is refused, and changes nothing', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [{ id: gameId }, { id: other }] = [await addGame(db), await addGame(db)];
      const wallet = randomWallet();
      const published = await addItem(db, gameId, 'published');
      const draft = await addItem(db, gameId, 'draft', { publishAt: null });
      const before = await db.read(listNewsRows, wholePage);
      const { newsId } = published;
      for (const [attempt, reason] of [
        [() => addItem(db, 'none', 'in no game'), 'game_unknown'],
        [() => addItem(db, gameId, 'expired', { expiresAt: clock.now }), 'input_invalid'],
        [
          () => addItem(db, gameId, 'expired', { publishAt: clock.now + 2, expiresAt: clock.now + 2 }),
          'input_invalid',
        ],
        [() => db.write(changeNews, newsId, { title: 'x' }, 2), 'news_changed'],
        [() => db.write(changeNews, newsId, { publishAt: clock.now }), 'input_invalid'],
        [() => db.write(changeNews, draft.newsId, { publishAt: 5, expiresAt: 4 }), 'input_invalid'],
        [() => db.write(changeNews, 'none', {}), 'news_unknown'],
        [() => db.write(deleteNews, 'none'), 'news_unknown'],
        [() => db.write(moveNewsMark, wallet, '', 'none'), 'news_unknown'],
        [() => db.write(moveNewsMark, wallet, '', draft.newsId), 'news_unknown'],
        [() => db.write(moveNewsMark, wallet, other, newsId), 'news_unknown'],
      ] as const) {
        await expect(attempt()).rejects.toMatchObject({ reason });
      }
      expect(await db.read(listNewsRows, wholePage)).toEqual(before);
      expect(await readBy(db, wallet, gameId)).toMatchObject({ unread: 1, marks: [] });
    });

    test('a game has a bounded number of items', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const add = (n: number) => addItem(db, gameId, `${n}`, { pinned: n % 2 === 0, publishAt: null });
      await Promise.all(Array.from({ length: maxNews }, (_, n) => add(n)));
      await expect(add(maxNews)).rejects.toMatchObject({ reason: 'news_limit_reached' });
    });

    test('a mark moves forward only; one on everything replaces those on games', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [{ id: one }, { id: other }] = [await addGame(db), await addGame(db)];
      const { wallet } = await addPlayer(db, one);
      const [first, second, third] = [
        await addItem(db, one, 'first'),
        await addItem(db, one, 'second'),
        await addItem(db, other, 'third'),
      ];
      await db.write(moveNewsMark, wallet, one, second.newsId);
      await db.write(moveNewsMark, wallet, one, first.newsId);
      await db.write(moveNewsMark, wallet, other, third.newsId);
      expect(await marksOf(db, wallet)).toEqual([one, other].toSorted());
      expect(await readBy(db, wallet, null)).toMatchObject({ unread: 0 });
      await db.write(moveNewsMark, wallet, '', first.newsId);
      expect(await marksOf(db, wallet)).toEqual(['', ...[one, other].toSorted()]);
      await db.write(moveNewsMark, wallet, '', third.newsId);
      await db.write(moveNewsMark, wallet, one, second.newsId);
      expect(await marksOf(db, wallet)).toEqual(['']);
      await db.write(deleteNews, third.newsId);
      await addItem(db, one, 'fourth');
      for await (const store of nowAndReopened(fixture)) {
        expect(await readBy(store, wallet, null)).toMatchObject({ unread: 1 });
        expect(await readBy(store, wallet, other)).toMatchObject({ unread: 0, newest: null });
        expect(await readBy(store, randomWallet(), null)).toMatchObject({ unread: 3, marks: [] });
      }
    });

    test('a mark is exported and erased with its player, and moves with a guest', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const { newsId } = await addItem(db, gameId, 'news');
      const guest = newGuestAddress();
      const device = { secretHash: randomUUID(), name: 'phone' };
      await db.write(addGuest, gameId, { address: guest, idleMs: hour }, device, hour);
      await db.write(moveNewsMark, guest, gameId, newsId);
      const wallet = randomWallet();
      const signIn = { id: randomUUID(), gameId, wallet, signRequest: '', expiresAt: 8e15 };
      await db.write(requestSignIn, signIn, guest);
      await db.write(upgradeGuest, { gameId, wallet: guest }, signIn.id, hour);
      expect(await marksOf(db, guest)).toEqual([]);
      expect(await marksOf(db, wallet)).toEqual([gameId]);
      const { records } = await db.read(readPlayerExport, wallet, null, 1_000);
      expect(records).toContainEqual({
        type: 'news_marks',
        row: expect.objectContaining({ gameId, newsId }),
      });
      await erasePlayerData(db, tables, wallet);
      expect(await marksOf(db, wallet)).toEqual([]);
    });

    test.each([1, 2])('lists, order and unread counts are those of a model (seed %i)', async (seed) => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const random = randomOf(seed);
      const games = [(await addGame(db)).id, (await addGame(db)).id];
      const scopes = ['', ...games];
      const players = [randomWallet(), randomWallet(), randomWallet()];
      const model = new NewsModel();
      const pick = <One>(from: readonly One[]): One | undefined => from[random(from.length || 1)];
      const isLikely = () => random(3) === 0;
      const someTime = () => (isLikely() ? null : clock.now + random(400) - 100);

      const steps: (() => Promise<void>)[] = [
        async () => {
          const gameId = pick(scopes) ?? '';
          const publishAt = isLikely() ? clock.now : someTime();
          const expiresAt = isLikely() ? Math.max(clock.now, publishAt ?? 0) + 1 + random(600) : null;
          const pinned = random(4) === 0;
          const { newsId } = await addItem(db, gameId, 'item', { publishAt, expiresAt, pinned });
          model.put({ id: newsId, gameId, pinned, publishAt, expiresAt, place: null }, clock.now);
        },
        async () => {
          const item = pick([...model.items.values()]);
          if (!item) return;
          const pinned = isLikely() ? !item.pinned : item.pinned;
          const publishAt = item.place === null ? someTime() : undefined;
          const time = Math.max(clock.now, publishAt ?? item.publishAt ?? 0);
          const expiresAt = isLikely() || item.place === null ? time + 1 + random(300) : null;
          await db.write(changeNews, item.id, { pinned, publishAt, expiresAt });
          const published = publishAt === undefined ? item.publishAt : publishAt;
          model.put({ ...item, pinned, expiresAt, publishAt: published }, clock.now);
        },
        async () => {
          const item = random(3) === 0 ? pick([...model.items.values()]) : undefined;
          if (!item) return;
          await db.write(deleteNews, item.id);
          model.items.delete(item.id);
        },
        async () => {
          clock.advance(random(120));
          const before = await db.read(lastPublication);
          await writeAll(db, publishDueNews);
          const published = await db.read(publishedAfter, before, maxNews);
          const visible = published.filter(({ expiresAt }) => expiresAt > clock.now);
          expect(visible.map(({ id }) => id)).toEqual(model.publishDue(clock.now));
        },
        async () => {
          const player = pick(players) ?? '';
          const gameId = (isLikely() ? null : pick(games)) ?? null;
          const published = [...model.items.values()].filter(
            (item) => item.place !== null && (gameId === null || item.gameId === gameId),
          );
          const upTo = pick(published);
          if (!upTo) return;
          await db.write(moveNewsMark, player, gameId ?? '', upTo.id);
          model.read(player, gameId, upTo.id);
        },
      ];
      const count = Number(process.env.NEWS_STEPS ?? 120);
      for (let n = 1; n <= count; n++) {
        await steps[random(steps.length)]?.();
        if (n % 8 !== 0) continue;
        const player = pick(players) ?? '';
        for (const gameId of [null, ...games]) {
          const { unread, newest, list } = await readBy(db, player, gameId, 2 + random(8));
          expect({ unread, newest, list }, `step ${n}`).toEqual(model.seenBy(player, gameId, clock.now));
        }
      }
      expect(model.items.size).toBeGreaterThan(5);
    });
  });
}

async function addItem(db: Store, gameId: string, title: string, item: Omit<NewsChanges, 'title'> = {}) {
  return await db.write(addNews, gameId, { title, ...item });
}

async function titlesIn(db: Store, gameId: string): Promise<string[]> {
  return (await db.read(listPublished, gameId, fromStart)).map(({ title }) => title);
}

/** What a player reads of a scope, in pages of `limit`. */
async function readBy(db: Store, wallet: string, gameId: string | null, limit = 250) {
  const list: { id: string; read: boolean }[] = [];
  let after: { pinned: number; publishedAt: number; newsId: string } | null = null;
  for (;;) {
    const page = await db.read(pageWithReading, wallet, gameId, { limit, after });
    const rows: readonly NewsRow[] = page.rows;
    list.push(...rows.map((row) => ({ id: row.id, read: isReadBy(page.reading.marks, row) })));
    const last = rows.at(-1);
    if (rows.length < limit || !last) return { ...page.reading, list };
    after = { pinned: last.pinned, publishedAt: last.publishedAt, newsId: last.id };
  }
}

async function marksOf(db: Store, wallet: string): Promise<unknown[]> {
  const text = 'SELECT game_id AS "gameId" FROM news_marks WHERE wallet = @wallet ORDER BY game_id';
  return (await rowsIn(db, text, { wallet })).map((row) => Object(row).gameId);
}

/** The payloads of a game's deliveries. */
async function deliveriesOf(db: Store, gameId: string): Promise<unknown[]> {
  const rows = await rowsIn(db, 'SELECT payload FROM actions WHERE game_id = @gameId', { gameId });
  return rows.map((row) => JSON.parse(Object(row).payload));
}
