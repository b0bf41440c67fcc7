import { type Listener, type StoredEvent, streamOf } from '../core/events/stream.ts';
import { nilId } from '../core/schemas/ids.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import { notificationCreated } from './events.ts';
import { type NotificationRecord, notificationType } from './notification.ts';
import type { NotificationRow } from './tables.ts';

/**
 * What no launcher has been told yet, those of a stream oldest first; these are kept until they are. `after`: those
 * behind this one, the last of the page before.
 */
export const listUndelivered = query(
  'listUndelivered',
  function* (
    read: Read,
    { wallet, gameId }: Listener,
    limit: number,
    after?: StoredEvent<NotificationRecord>,
  ): ReadSteps<StoredEvent<NotificationRecord>[]> {
    const from = { afterSeq: after?.seq ?? 0, afterId: after?.record._id ?? nilId };
    const rows = yield* read.all(selectUndelivered, { wallet, gameId, ...from, limit });
    return rows.map((row) => toEvent(row, read.epoch));
  },
);

const selectUndelivered = statement<
  { wallet: string; gameId: string | null; afterSeq: number; afterId: string; limit: number },
  Omit<NotificationRow, 'deliveredAt'>
>(
  `SELECT id, game_id AS "gameId", wallet, message, type, event_seq AS "eventSeq", created_at AS "createdAt"
    FROM notifications
    WHERE delivered_at IS NULL AND wallet = @wallet AND (game_id = @gameId OR @gameId IS NULL)
      AND event_seq >= @afterSeq AND (event_seq, id) > (@afterSeq, @afterId)
    ORDER BY event_seq, id LIMIT @limit`,
);

/** The event a notification was told by, which may have been deleted meanwhile. */
function toEvent(
  { id, gameId, wallet, message, type, eventSeq, createdAt }: Omit<NotificationRow, 'deliveredAt'>,
  epoch: string,
): StoredEvent<NotificationRecord> {
  return {
    stream: streamOf.player(gameId, wallet),
    name: notificationCreated.name,
    record: {
      _id: id,
      gameId,
      normalizedAddress: wallet,
      message,
      type: notificationType.parse(type),
      createdAt,
    },
    audience: { kind: 'players', gameId, wallets: [wallet] },
    epoch,
    seq: eventSeq,
    lane: 0,
    position: 0,
    after: null,
  };
}
