import { nilId } from '../../core/schemas/ids.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import {
  columnsOf,
  query,
  type Read,
  type ReadSteps,
  statement,
  statementsBy,
} from '../../core/storage/query.ts';
import { isReached, type NewsPosition, type NewsStatus, never } from './news.ts';
import { type NewsMarkRow, type NewsRow, news, newsMarks } from './tables.ts';

/** Marks on single games that are read for a list. */
const maxMarks = 1_000;

const beforeAll: NewsPosition = { publishedAt: 0, newsId: nilId };

/** A page of the news: after the row with these values, or from the beginning. */
export interface NewsPage {
  limit: number;
  after: (NewsPosition & { pinned: number }) | null;
}

/** Whether an item is due to be published. */
export const isNewsDue = query('isNewsDue', function* (read): ReadSteps<boolean> {
  const [first] = yield* read.list(news.byDue, [0], { limit: 1 });
  return first !== undefined && first.publishAt <= read.now;
});

/** The place of the item that was published last. */
export const lastPublication = query('lastPublication', function* (read): ReadSteps<NewsPosition> {
  const [last] = yield* read.list(news.byPublication, [], { limit: 1, last: true });
  return last?.publishedAt ? { publishedAt: last.publishedAt, newsId: last.id } : beforeAll;
});

/** Items that were published after a place, also those that have expired: in the order of publication. */
export const publishedAfter = query(
  'publishedAfter',
  function* (read, after: NewsPosition, limit: number): ReadSteps<readonly NewsRow[]> {
    return yield* read.all(selectPublishedAfter, { ...after, limit });
  },
);

const selectPublishedAfter = statement<NewsPosition & { limit: number }, NewsRow>(
  `SELECT ${columnsOf(news)} FROM news WHERE (published_at, id) > (@publishedAt, @newsId) AND published_at > 0
    ORDER BY published_at, id LIMIT @limit`,
);

/** A page of the published, unexpired items of a game, or of all: pinned ones first, then the latest. */
export const listPublished = query(
  'listPublished',
  function* (read, gameId: string | null, page: NewsPage): ReadSteps<readonly NewsRow[]> {
    return yield* publishedPage(read, gameId, page);
  },
);

function* publishedPage(
  read: Read,
  gameId: string | null,
  { limit, after }: NewsPage,
): ReadSteps<readonly NewsRow[]> {
  const values = { ...(after ?? beforePinned), now: read.now, limit };
  return gameId === null
    ? yield* read.all(pageOfAll, values)
    : yield* read.all(pageOfGame, { ...values, gameId });
}

/** The place before every row. */
const beforePinned = { pinned: 2, publishedAt: 0, newsId: nilId };

type PageValues = NewsPosition & { pinned: number; now: number; limit: number };
const pageOf = (ofGame: string) =>
  `SELECT ${columnsOf(news)} FROM news
    WHERE ${ofGame} published_at > 0 AND expires_at > @now
      AND (pinned, published_at, id) < (@pinned, @publishedAt, @newsId)
    ORDER BY pinned DESC, published_at DESC, id DESC LIMIT @limit`;
const pageOfAll = statement<PageValues, NewsRow>(pageOf(''));
const pageOfGame = statement<PageValues & { gameId: string }, NewsRow>(pageOf('game_id = @gameId AND'));

/** What a player has read of the news of a list. */
export interface NewsReading {
  /** Listed items after the marks. */
  unread: number;
  /** The listed item that was published last, read or not; null: there is none. */
  newest: string | null;
  marks: readonly NewsMarkRow[];
}

/** A page of a game's news, or of all, and what a player has read of them, from one snapshot. */
export const pageWithReading = query(
  'pageWithReading',
  function* (
    read,
    wallet: string,
    gameId: string | null,
    page: NewsPage,
  ): ReadSteps<{ rows: readonly NewsRow[]; reading: NewsReading }> {
    return yield* read.inOneView(function* () {
      return {
        rows: yield* publishedPage(read, gameId, page),
        reading: yield* readingOf(read, wallet, gameId),
      };
    });
  },
);

/** What a player has read of a game's news, or of all. */
function* readingOf(read: Read, wallet: string, gameId: string | null): ReadSteps<NewsReading> {
  const { now } = read;
  const marks = yield* read.list(newsMarks.byWallet, [wallet], { limit: maxMarks });
  const from = marks
    .filter((mark) => mark.gameId === '' || mark.gameId === gameId)
    .reduce<NewsPosition>((later, mark) => (isReached(mark, later) ? later : mark), beforeAll);
  const after = { publishedAt: from.publishedAt, newsId: from.newsId, now };
  if (gameId !== null) {
    const counted = yield* read.first(countOfGame, { ...after, gameId });
    const newest = yield* read.first(newestOfGame, { gameId, now });
    return { unread: counted?.count ?? 0, newest: newest?.id ?? null, marks };
  }
  const counted = yield* read.first(countOfAll, { ...after, wallet });
  const newest = yield* read.first(newestOfAll, { now });
  return { unread: counted?.count ?? 0, newest: newest?.id ?? null, marks };
}

const afterMark = `(n.published_at, n.id) > (@publishedAt, @newsId) AND n.published_at > 0 AND n.expires_at > @now`;
const countOfGame = statement<NewsPosition & { gameId: string; now: number }, { count: number }>(
  `SELECT count(*) AS count FROM news n WHERE ${afterMark} AND n.game_id = @gameId`,
);
// The player's marks on single games may be later than the one on everything.
const countOfAll = statement<NewsPosition & { wallet: string; now: number }, { count: number }>(
  `SELECT count(*) AS count FROM news n
    LEFT JOIN news_marks m ON m.wallet = @wallet AND m.game_id = n.game_id
    WHERE ${afterMark} AND (m.wallet IS NULL OR (n.published_at, n.id) > (m.published_at, m.news_id))`,
);
const newest = (ofGame: string) =>
  `SELECT id FROM news WHERE published_at > 0 AND expires_at > @now ${ofGame}
    ORDER BY published_at DESC, id DESC LIMIT 1`;
const newestOfAll = statement<{ now: number }, { id: string }>(newest(''));
const newestOfGame = statement<{ gameId: string; now: number }, { id: string }>(
  newest('AND game_id = @gameId'),
);

/** Items as administrators list them: those to be published last first, drafts before all. */
export const listNewsRows = query(
  'listNewsRows',
  function* (
    read,
    { gameId, status, limit, skip }: Page & { gameId?: string | undefined; status?: NewsStatus | undefined },
  ): ReadSteps<Paged<NewsRow>> {
    const conditions = [
      ...(gameId === undefined ? [] : ['game_id = @gameId']),
      ...(status === undefined ? [] : [conditionOf[status]]),
    ];
    const { page, count } = administratorsList(conditions);
    const values = { gameId: gameId ?? '', now: read.now, never };
    const rows = yield* read.all(page, { ...values, limit, skip });
    return { total: (yield* read.first(count, values))?.count ?? 0, rows: [...rows] };
  },
);

const conditionOf: Record<NewsStatus, string> = {
  draft: 'published_at = 0 AND publish_at = @never AND expires_at > @now',
  scheduled: 'published_at = 0 AND publish_at < @never AND expires_at > @now',
  published: 'published_at > 0 AND expires_at > @now',
  expired: 'expires_at <= @now',
};

type ListValues = { gameId: string; now: number; never: number };
const administratorsList = statementsBy((where) => ({
  page: statement<ListValues & { limit: number; skip: number }, NewsRow>(
    `SELECT ${columnsOf(news)} FROM news ${where}
      ORDER BY CASE published_at WHEN 0 THEN publish_at ELSE published_at END DESC, id DESC LIMIT @limit OFFSET @skip`,
  ),
  count: statement<ListValues, { count: number }>(`SELECT count(*) AS count FROM news ${where}`),
}));
