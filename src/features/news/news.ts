import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { id, text, timestamp } from '../../core/schemas/fields.ts';
import { gameUrl } from '../games/game.ts';
import type { NewsMarkRow, NewsRow } from './tables.ts';

/** The most items of a game, or of the installation, including drafts and expired ones. */
export const maxNews = 1_000;

/** A time that never comes: the latest that a Date can hold. */
export const never = 8_640_000_000_000_000;

export const newsTitle = text(1, 200);
export const newsBody = text(0, 10_000);
export const newsImage = z.union([gameUrl, z.literal('')]);
export const newsTime = z
  .int()
  .min(0)
  .max(never - 1);

/** An item as anyone reads it. */
export const newsItem = z
  .object({
    newsId: id,
    gameId: id.nullable().meta({ description: 'The game that it is about; null: news of the installation' }),
    title: z.string(),
    body: z.string().meta({
      description: 'Markdown by administrators: render it without HTML, as the manual describes',
    }),
    image: z.string().meta({
      description: 'Image URL: absolute, or a path on this server; empty when it has none',
    }),
    pinned: z.boolean(),
    publishedAt: timestamp,
    changedAt: timestamp.meta({ description: 'When it was last changed' }),
    expiresAt: timestamp
      .nullable()
      .meta({ description: 'From then on it is not listed; null: always listed' }),
    read: z
      .exactOptional(z.boolean())
      .meta({ description: "Only with a player's token: whether the player has marked it as read" }),
  })
  .meta({ id: 'NewsItem' });
export type NewsItem = z.infer<typeof newsItem>;

/**
 * `draft`: published only when it gets a time; `scheduled`: published at its time; `published`; `expired`: no longer
 * listed.
 */
export const newsStatus = z.enum(['draft', 'scheduled', 'published', 'expired']);
export type NewsStatus = z.infer<typeof newsStatus>;

/** An item as administrators see it. */
export const newsRecord = newsItem
  .omit({ read: true, publishedAt: true })
  .extend({
    status: newsStatus,
    version: z.int().meta({ description: 'Counts the changes from 1; see `ifVersion` of `updateNews`' }),
    createdAt: timestamp,
    publishAt: timestamp.nullable().meta({ description: 'When it is published; null: a draft' }),
    publishedAt: timestamp.nullable().meta({ description: 'Null: not yet' }),
  })
  .meta({ id: 'NewsRecord' });
export type NewsRecord = z.infer<typeof newsRecord>;

/** What launchers, games and webhooks are told of an item that was published. */
export const newsAnnouncement = z.object({
  newsId: id,
  gameId: id.nullable(),
  title: z.string(),
  publishedAt: timestamp,
});
export type NewsAnnouncement = z.infer<typeof newsAnnouncement>;

/** A place in the order of publication. */
export type NewsPosition = Pick<NewsMarkRow, 'publishedAt' | 'newsId'>;

/** Whether a place is that of a mark, or before it. */
export function isReached({ publishedAt, newsId }: NewsPosition, mark: NewsPosition): boolean {
  return publishedAt < mark.publishedAt || (publishedAt === mark.publishedAt && newsId <= mark.newsId);
}

/** Whether an item has been read by the player with these marks. */
export function isReadBy(marks: readonly NewsMarkRow[], { id, gameId, publishedAt }: NewsRow): boolean {
  return marks.some(
    (mark) => (mark.gameId === '' || mark.gameId === gameId) && isReached({ publishedAt, newsId: id }, mark),
  );
}

/** Changes of an item; omitted fields are kept. */
export interface NewsChanges {
  title?: string | undefined;
  body?: string | undefined;
  image?: string | undefined;
  pinned?: boolean | undefined;
  /** Null: a draft. */
  publishAt?: number | null | undefined;
  /** Null: never. */
  expiresAt?: number | null | undefined;
}

export function newsUnknown(): GantryError {
  return new GantryError('news_unknown', 'There is no published news item with this id');
}

export function toAnnouncement({ id: newsId, gameId, title, publishedAt }: NewsRow): NewsAnnouncement {
  return { newsId, gameId: gameId || null, title, publishedAt };
}

export function toNewsItem(row: NewsRow): NewsItem {
  const { id: newsId, gameId, title, body, image, publishedAt, changedAt, expiresAt } = row;
  return {
    newsId,
    gameId: gameId || null,
    title,
    body,
    image,
    pinned: row.pinned === 1,
    publishedAt,
    changedAt,
    expiresAt: timeOrNull(expiresAt),
  };
}

export function toNewsRecord(row: NewsRow, now: number): NewsRecord {
  return {
    ...toNewsItem(row),
    status: statusOf(row, now),
    version: row.version,
    createdAt: row.createdAt,
    publishAt: timeOrNull(row.publishAt),
    publishedAt: row.publishedAt || null,
  };
}

function statusOf({ publishedAt, publishAt, expiresAt }: NewsRow, now: number): NewsStatus {
  if (expiresAt <= now) return 'expired';
  if (publishedAt > 0) return 'published';
  return publishAt === never ? 'draft' : 'scheduled';
}

function timeOrNull(ms: number): number | null {
  return ms === never ? null : ms;
}
