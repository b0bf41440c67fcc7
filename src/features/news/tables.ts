import { type RowOf, table } from '../../core/storage/table.ts';

const newsColumns = {
  id: 'uuid',
  /** Empty: of the installation. */
  gameId: 'text',
  title: 'text',
  body: 'text',
  /** Empty: none. */
  image: 'text',
  /** 0 or 1. */
  pinned: 'int',
  version: 'int',
  createdAt: 'ms',
  changedAt: 'ms',
  /** When it is to be published; `never`: it is a draft. */
  publishAt: 'ms',
  /** From then on it is not shown; `never`: always. */
  expiresAt: 'ms',
  /** 0: not yet. In the order in which items were committed, so that a mark divides them into read and unread. */
  publishedAt: 'ms',
} as const;

export const news = table('news', newsColumns, {
  key: ['id'],
  indexes: {
    byPlace: { on: ['pinned', 'publishedAt', 'id'] },
    byGame: { on: ['gameId', 'pinned', 'publishedAt', 'id'] },
    // Unread items are counted in this index alone.
    byPublication: { on: ['publishedAt', 'id', 'gameId', 'expiresAt'] },
    byDue: { on: ['publishedAt', 'publishAt', 'id'] },
  },
  of: { game: 'gameId' },
});
export type NewsRow = RowOf<typeof newsColumns>;

const markColumns = {
  wallet: 'text',
  /** Empty: the mark is on the news of all games and of the installation. */
  gameId: 'text',
  /** The last item that was read: its `publishedAt` and id, which stay valid when it is removed. */
  publishedAt: 'ms',
  newsId: 'uuid',
} as const;

/**
 * Up to where players have read the news. An item is read if it is not after the player's mark on everything, or on the
 * item's game. Who reads everything has one row; who has read nothing has none.
 */
export const newsMarks = table('news_marks', markColumns, {
  key: ['wallet', 'gameId'],
  indexes: { byWallet: { on: ['wallet', 'gameId'] }, byGame: { on: ['gameId', 'wallet'] } },
  of: { player: 'wallet', game: 'gameId' },
});
export type NewsMarkRow = RowOf<typeof markColumns>;
