import { comparableId } from '../../core/schemas/ids.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { isNotBlocked } from './blocked-senders.ts';
import { channelUnknown } from './channel-access.ts';
import { idsOfJson, seqOfMessage } from './message-rows.ts';
import { maxListedUnread, maxUnread, type Unread } from './read-marker.ts';

/** Unread messages in those of these channels that the player is in, ordered by id; counted up to `maxListedUnread`. */
export const listUnread = query(
  'listUnread',
  function* (read, owner: Owner, channelIds: readonly string[]): ReadSteps<Unread[]> {
    return yield* unreadIn(read, owner, channelIds, maxListedUnread);
  },
);

/** Unread messages in one channel, counted up to `maxUnread`. @throws GantryError `channel_unknown` */
export const findUnread = query(
  'findUnread',
  function* (read, owner: Owner, channelId: string): ReadSteps<Unread> {
    const [unread] = yield* unreadIn(read, owner, [comparableId(channelId)], maxUnread);
    if (!unread) throw channelUnknown();
    return unread;
  },
);

function* unreadIn(
  read: Read,
  { gameId, wallet }: Owner,
  channelIds: readonly string[],
  maxCount: number,
): ReadSteps<Unread[]> {
  const values = { gameId, wallet, ids: JSON.stringify(channelIds), limit: maxCount + 1 };
  const rows = yield* read.all(unreadOfMember, values);
  return rows.map(({ channelId, unread, messageId, readAt }) => ({
    channelId,
    unreadCount: Math.min(unread, maxCount),
    isCapped: unread > maxCount,
    readMarker: messageId === null || readAt === null ? null : { messageId, readAt },
  }));
}

/**
 * Reads at most @limit of the newest messages per channel, however many there are. Messages before the player's own
 * last one count as read. Messages of blocked players are not counted, nor are those before the player's latest
 * joining: a marker from an earlier stay has no effect.
 */
const text = ({ seq, greatest, ids }: { seq: string; greatest: string; ids: string }) =>
  `SELECT p.channel_id AS "channelId", r.message_id AS "messageId", r.read_at AS "readAt", (
      SELECT count(*) FROM (
        SELECT seq, max(CASE WHEN sender = @wallet THEN seq ELSE 0 END) OVER () AS own_seq FROM (
          SELECT ${seq} AS seq, m.sender FROM messages AS m
          WHERE m.channel_id = p.channel_id AND ${seq} > ${greatest}(p.joined_seq, coalesce(r.read_seq, 0))
            AND ${isNotBlocked('m')}
          ORDER BY ${seq} DESC LIMIT @limit) AS newest) AS compared
      WHERE seq > own_seq) AS unread
    FROM participants AS p
    LEFT JOIN read_markers AS r ON r.channel_id = p.channel_id AND r.wallet = p.wallet
    WHERE p.wallet = @wallet AND p.game_id = @gameId AND p.channel_id IN (${ids})
    ORDER BY p.channel_id`;
const unreadOfMember = statement<
  { gameId: string; wallet: string; ids: string; limit: number },
  { channelId: string; messageId: string | null; readAt: number | null; unread: number }
>({
  sqlite: text({
    seq: seqOfMessage.sqlite,
    greatest: 'max',
    ids: idsOfJson.sqlite,
  }),
  postgres: text({
    seq: seqOfMessage.postgres,
    greatest: 'greatest',
    ids: idsOfJson.postgres,
  }),
});
