import { invalidField } from '../../core/errors.ts';
import { type EventText, type Listener, streamOf } from '../../core/events/stream.ts';
import { nilId } from '../../core/schemas/ids.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { notificationCreated } from './events.ts';
import type { MutedGame } from './muted-game.ts';
import {
  type InboxNotification,
  maxUnread,
  type NotificationRecord,
  notificationType,
} from './notification.ts';
import type { NotificationRow } from './tables.ts';

/** In every game, and so in launchers, those of muted games are left out. */
const ofListener = `wallet = @wallet AND (game_id = @gameId OR (@gameId IS NULL
      AND game_id NOT IN (SELECT game_id FROM muted_games WHERE wallet = @wallet)))`;

/** The event that announced a notification, with its record parsed. */
export interface NotificationEvent extends Omit<EventText, 'record'> {
  record: NotificationRecord;
}

/**
 * Notifications not yet delivered to any launcher, oldest first within a stream. `after`: the last one of the previous
 * page.
 */
export const listUndelivered = query(
  'listUndelivered',
  function* (
    read,
    { wallet, gameId }: Listener,
    limit: number,
    after?: NotificationEvent,
  ): ReadSteps<NotificationEvent[]> {
    const from = { afterSeq: after?.seq ?? 0, afterId: after?.record._id ?? nilId };
    const rows = yield* read.all(selectUndelivered, { wallet, gameId, ...from, now: read.now, limit });
    return rows.map((row) => toEvent(row, read.epoch));
  },
);

const selectUndelivered = statement<
  { wallet: string; gameId: string | null; afterSeq: number; afterId: string; now: number; limit: number },
  NotificationFields
>(
  `SELECT id, game_id AS "gameId", wallet, message, type, event_seq AS "eventSeq", created_at AS "createdAt",
      expires_at AS "expiresAt"
    FROM notifications
    WHERE delivered_at IS NULL AND ${ofListener}
      AND (expires_at IS NULL OR expires_at > @now)
      AND event_seq >= @afterSeq AND (event_seq, id) > (@afterSeq, @afterId)
    ORDER BY event_seq, id LIMIT @limit`,
);

/** Ids of at most `limit` unread notifications of a player; `gameId` null means every game. */
export const listUnread = query(
  'listUnread',
  function* (read, { wallet, gameId }: Listener, limit: number): ReadSteps<string[]> {
    return (yield* read.all(selectUnread, { wallet, gameId, limit })).map(({ id }) => id);
  },
);

const selectUnread = statement<{ wallet: string; gameId: string | null; limit: number }, { id: string }>(
  `SELECT id FROM notifications WHERE ${ofListener} AND read_at IS NULL LIMIT @limit`,
);

/** A page of a player's inbox. */
export interface InboxPage {
  notifications: InboxNotification[];
  /** In the whole inbox; `maxUnread` means that many or more. */
  unread: number;
  /** Start of the next page; null at the end. */
  cursor: string | null;
}

/**
 * A player's unexpired notifications, newest first; `gameId` null means every game. `after`: the `cursor` of the
 * previous page.
 * @throws GantryError `paging_invalid` for a malformed cursor
 */
export const listInbox = query(
  'listInbox',
  function* (
    read,
    { wallet, gameId }: Listener,
    { limit, after, unreadOnly }: { limit: number; after?: string | undefined; unreadOnly: boolean },
  ): ReadSteps<InboxPage> {
    const inbox = { wallet, gameId, now: read.now };
    const from = after === undefined ? newest : keysetOf(after);
    const found = yield* read.all(selectInbox, {
      ...inbox,
      ...from,
      unreadOnly: Number(unreadOnly),
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const counted = yield* read.first(countUnread, { ...inbox, limit: maxUnread });
    return {
      notifications: rows.map((row) => ({ ...toRecord(row), readAt: row.readAt })),
      unread: counted?.count ?? 0,
      cursor: last && found.length > limit ? `${last.createdAt}.${last.id}` : null,
    };
  },
);

/** Before the first row. */
const newest = { beforeMs: Number.MAX_SAFE_INTEGER, beforeId: nilId };

function keysetOf(cursor: string): { beforeMs: number; beforeId: string } {
  const [, ms, id] = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor) ?? [];
  if (ms !== undefined && id !== undefined) return { beforeMs: Number(ms), beforeId: id };
  throw invalidField('after', 'must be the `cursor` of an earlier response', 'paging_invalid');
}

const ofInbox = `${ofListener}
      AND (expires_at IS NULL OR expires_at > @now)`;
const selectInbox = statement<
  {
    wallet: string;
    gameId: string | null;
    now: number;
    beforeMs: number;
    beforeId: string;
    unreadOnly: number;
    limit: number;
  },
  Omit<NotificationRow, 'deliveredAt'>
>(
  `SELECT id, game_id AS "gameId", wallet, message, type, event_seq AS "eventSeq", created_at AS "createdAt",
      expires_at AS "expiresAt", read_at AS "readAt"
    FROM notifications
    WHERE ${ofInbox} AND (created_at, id) < (@beforeMs, @beforeId) AND (read_at IS NULL OR @unreadOnly = 0)
    ORDER BY created_at DESC, id DESC LIMIT @limit`,
);
const countUnread = statement<
  { wallet: string; gameId: string | null; now: number; limit: number },
  { count: number }
>(
  `SELECT count(*) AS count FROM (
    SELECT 1 FROM notifications WHERE ${ofInbox} AND read_at IS NULL LIMIT @limit) AS unread`,
);

/** A page of the games that a player has muted, latest first. */
export const mutedGamesOf = query('mutedGamesOf', function* (read, wallet: string, page: Page): ReadSteps<
  Paged<MutedGame>
> {
  const rows = [...(yield* read.all(selectMuted, { wallet, ...page }))];
  return { total: (yield* read.first(countMuted, { wallet }))?.count ?? 0, rows };
});

const selectMuted = statement<{ wallet: string; limit: number; skip: number }, MutedGame>(
  `SELECT m.game_id AS "gameId", g.slug, g.name, g.image, m.muted_at AS "mutedAt"
    FROM muted_games AS m JOIN games AS g ON g.id = m.game_id
    WHERE m.wallet = @wallet ORDER BY m.muted_at DESC, m.game_id LIMIT @limit OFFSET @skip`,
);
const countMuted = statement<{ wallet: string }, { count: number }>(
  'SELECT count(*) AS count FROM muted_games WHERE wallet = @wallet',
);

/** The columns that a launcher's event is built from. */
type NotificationFields = Omit<NotificationRow, 'deliveredAt' | 'readAt'>;

/** Rebuilds the event, because it may have been deleted meanwhile. */
function toEvent(row: NotificationFields, epoch: string): NotificationEvent {
  const { gameId, wallet } = row;
  return {
    stream: streamOf.player(gameId, wallet),
    name: notificationCreated.name,
    record: toRecord(row),
    epoch,
    seq: row.eventSeq,
  };
}

function toRecord({
  id,
  gameId,
  wallet,
  message,
  type,
  createdAt,
  expiresAt,
}: NotificationFields): NotificationRecord {
  return {
    _id: id,
    gameId,
    normalizedAddress: wallet,
    message,
    type: notificationType.parse(type),
    createdAt,
    ...(expiresAt !== null && { expiresAt }),
  };
}
