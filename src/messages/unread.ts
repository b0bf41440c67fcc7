import { comparableId } from '../core/schemas/ids.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import { isNotBlocked } from './blocked-senders.ts';
import { channelUnknown } from './channel-access.ts';
import { maxListedUnread, maxUnread, type Unread } from './read-marker.ts';
import { idsOfJson, seqOfMessage } from './stored-message.ts';

/** What a player has not read of these channels: of those among them that the player is in, by id. Counted less far than alone. */
export const listUnread = query(
  'listUnread',
  function* (read: Read, owner: Owner, channelIds: readonly string[]): ReadSteps<Unread[]> {
    return yield* unreadIn(read, owner, channelIds, maxListedUnread);
  },
);

/** The same of one channel. @throws GantryError `channel_unknown` */
export const findUnread = query(
  'findUnread',
  function* (read: Read, owner: Owner, channelId: string): ReadSteps<Unread> {
    const [unread] = yield* unreadIn(read, owner, [comparableId(channelId)], maxUnread);
    if (!unread) throw channelUnknown();
    return unread;
  },
);

function* unreadIn(
  read: Read,
  { gameId, wallet }: Owner,
  channelIds: readonly string[],
  maximum: number,
): ReadSteps<Unread[]> {
  const values = { gameId, wallet, ids: JSON.stringify(channelIds), limit: maximum + 1 };
  const rows = yield* read.all(unreadOfMember, values);
  return rows.map(({ channelId, unread, messageId, readAt }) => ({
    channelId,
    unreadCount: Math.min(unread, maximum),
    isCapped: unread > maximum,
    readMarker: messageId === null || readAt === null ? null : { messageId, readAt },
  }));
}

/**
 * Of each channel the newest messages are looked at, so many at most, however many there are. Who has written something has
 * read what stood before it. What somebody wrote whom the player blocks is not counted. A marker of before the player left counts for nothing: what was said meanwhile is not shown.
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
