import { GantryError, invalidField } from '../../core/errors.ts';
import { lockNews } from '../../core/events/stream-locks.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { notifyOfNews } from '../webhooks/report.ts';
import {
  isReached,
  maxNews,
  type NewsChanges,
  type NewsRecord,
  never,
  newsUnknown,
  toAnnouncement,
  toNewsRecord,
} from './news.ts';
import { type NewsMarkRow, type NewsRow, news, newsMarks } from './tables.ts';

/** The worker that announces published items: see `NewsFeed`. */
export const newsWorkerName = 'news';
/** Items that `publishDueNews` publishes per call. */
const publishedPerCall = 20;
/** Marks on single games that a mark on everything replaces per call. */
const replacedPerCall = 100;

/**
 * Adds an item, and publishes it if its time has come. `gameId` empty: of the installation.
 * @throws GantryError `game_unknown`, `news_limit_reached`, `input_invalid`
 */
export const addNews = command(
  'addNews',
  function* (
    tx,
    gameId: string,
    {
      title,
      body = '',
      image = '',
      pinned = false,
      publishAt = tx.now,
      expiresAt,
    }: NewsChanges & { title: string },
  ): Steps<NewsRecord> {
    const [, game, placed, pinnedItems] = yield* tx.all(
      lockNews(tx),
      tx.get(games, gameId || null),
      tx.count(news.byGame, [gameId, 0], maxNews),
      tx.count(news.byGame, [gameId, 1], maxNews),
    );
    if (gameId !== '' && !game)
      throw new GantryError('game_unknown', 'There is no game with this id or slug');
    if (placed + pinnedItems >= maxNews) {
      throw new GantryError(
        'news_limit_reached',
        `A game, and the installation, can have ${maxNews} news items; remove old ones first`,
      );
    }
    const row: NewsRow = {
      id: tx.newId(),
      gameId,
      title,
      body,
      image,
      pinned: Number(pinned),
      version: 1,
      createdAt: tx.now,
      changedAt: tx.now,
      publishAt: publishAt ?? never,
      expiresAt: expiresAt ?? never,
      publishedAt: 0,
    };
    return yield* writeNews(tx, row);
  },
);

/**
 * Changes an item, and publishes it if it was not and its time has come. `ifVersion`: only if that is its version.
 * @throws GantryError `news_unknown`, `news_changed`, `input_invalid`
 */
export const changeNews = command(
  'changeNews',
  function* (
    tx,
    newsId: string,
    { title, body, image, pinned, publishAt, expiresAt }: NewsChanges,
    ifVersion?: number,
  ): Steps<NewsRecord> {
    const before = yield* lockedNews(tx, newsId);
    if (ifVersion !== undefined && ifVersion !== before.version) {
      throw new GantryError(
        'news_changed',
        `The news item has version ${before.version} now: read it with listNewsItems, then change it again`,
        { present: { version: before.version } },
      );
    }
    if (publishAt !== undefined && before.publishedAt > 0) {
      throw invalidField('publishAt', 'must be omitted: the item is published already');
    }
    return yield* writeNews(tx, {
      ...before,
      title: title ?? before.title,
      body: body ?? before.body,
      image: image ?? before.image,
      pinned: pinned === undefined ? before.pinned : Number(pinned),
      version: before.version + 1,
      changedAt: tx.now,
      publishAt: publishAt === undefined ? before.publishAt : (publishAt ?? never),
      expiresAt: expiresAt === undefined ? before.expiresAt : (expiresAt ?? never),
    });
  },
);

/** @throws GantryError `news_unknown` */
export const deleteNews = command('deleteNews', function* (tx, newsId: string): Steps<void> {
  tx.remove(news, yield* lockedNews(tx, newsId));
});

/**
 * Publishes items whose time has come, in the order of their times; at most `publishedPerCall`. True: there may be more.
 */
export const publishDueNews = command('publishDueNews', function* (tx): Steps<boolean> {
  const [, waiting] = yield* tx.all(lockNews(tx), tx.list(news.byDue, [0], { limit: publishedPerCall }));
  const due = waiting.filter(({ publishAt }) => publishAt <= tx.now);
  for (const row of due) yield* publish(tx, row);
  return due.length === publishedPerCall;
});

/**
 * Marks the news as read up to an item: those of a game, or all (`gameId` empty). A mark only moves forward.
 * @throws GantryError `news_unknown` if the item is not published, or of another game
 */
export const moveNewsMark = command(
  'moveNewsMark',
  function* (tx, wallet: string, gameId: string, newsId: string): Steps<void> {
    const [item, onAll] = yield* tx.all(tx.get(news, newsId), tx.get(newsMarks, wallet, ''));
    if (!item?.publishedAt || (gameId !== '' && item.gameId !== gameId)) throw newsUnknown();
    const mark: NewsMarkRow = { wallet, gameId, publishedAt: item.publishedAt, newsId };
    if (onAll && isReached(mark, onAll)) return;
    const before = yield* tx.lock(newsMarks, [wallet, gameId], mark);
    if (!isReached(mark, before)) tx.put(newsMarks, mark);
    if (gameId !== '') return;
    const marks = yield* tx.list(newsMarks.byWallet, [wallet], { limit: replacedPerCall });
    const ofGames = marks.filter((one) => one.gameId !== '' && isReached(one, mark));
    const locked = yield* tx.all(...ofGames.map((one) => tx.lock(newsMarks, [wallet, one.gameId])));
    for (const one of locked) if (one && isReached(one, mark)) tx.remove(newsMarks, one);
  },
);

function* lockedNews(tx: Tx, newsId: string): Steps<NewsRow> {
  const [, row] = yield* tx.all(lockNews(tx), tx.get(news, newsId));
  if (!row) throw new GantryError('news_unknown', 'There is no news item with this id');
  return row;
}

/** Stores an item, and publishes it if its time has come; the news are locked. */
function* writeNews(tx: Tx, row: NewsRow): Steps<NewsRecord> {
  if (row.publishedAt > 0 || row.publishAt > tx.now) {
    if (row.publishedAt === 0) refuseEarlyExpiry(row);
    tx.put(news, row);
    return toNewsRecord(row, tx.now);
  }
  refuseEarlyExpiry({ ...row, publishAt: tx.now });
  return yield* publish(tx, row);
}

function refuseEarlyExpiry({ publishAt, expiresAt }: Pick<NewsRow, 'publishAt' | 'expiresAt'>): void {
  if (expiresAt > publishAt || expiresAt === never || publishAt === never) return;
  throw invalidField('expiresAt', 'must be after the time of publication');
}

/** Publishes an item; it is announced unless nobody can see it, because it expired while no process ran. */
function* publish(tx: Tx, row: NewsRow): Steps<NewsRecord> {
  const [last] = yield* tx.list(news.byPublication, [], { limit: 1, last: true });
  const published = { ...row, publishedAt: Math.max(tx.now, (last?.publishedAt ?? 0) + 1) };
  tx.put(news, published);
  if (row.expiresAt > tx.now) yield* notifyOfNews(tx, toAnnouncement(published));
  tx.wake(newsWorkerName);
  return toNewsRecord(published, tx.now);
}
