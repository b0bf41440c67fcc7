import { type CursorPage, toListCursor } from '../../core/schemas/list-cursor.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { columnsOf, query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { blockedIn, isNotBlocked, noneBlocked } from './blocked-senders.ts';
import { type DescribedChannelRow, eventSeqsOf, seqOfMessage } from './message-rows.ts';
import { type MessagesPage, toMessagesPage } from './messages-page.ts';
import {
  absencesOf,
  type ChannelsPage,
  channelColumns,
  requireChannel,
  visibleCount,
  visibleSpans,
  withParticipants,
} from './queries.ts';
import { type MessageRow, messages, participants } from './tables.ts';

/** Payload of a message cursor: the message's seq in the channel's stream, which is unique. */
export const messageCursor = /^\d{1,15}$/;
/** Payload of a channel cursor: the channel's last activity and its id. */
export const channelCursor = /^\d{1,15}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Greater than any seq. */
const endOfStream = Number.MAX_SAFE_INTEGER;

/**
 * Messages of a channel, newest or oldest first, after the cursor: whatever is sent or unsent meanwhile, the next page
 * continues where this one ended. Otherwise as `listChannelMessages`.
 * @throws GantryError `channel_unknown`
 */
export const listMessagesFrom = query(
  'listMessagesFrom',
  function* (
    read,
    owner: Owner,
    channelId: string,
    { limit, order, behind }: CursorPage,
    isUnfiltered = false,
  ): ReadSteps<MessagesPage> {
    const { channel, member } = yield* requireChannel(read, owner, channelId);
    const absences = yield* absencesOf(read, member);
    const blocked = isUnfiltered ? noneBlocked : yield* blockedIn(read, owner, channelId);
    const isFiltered = blocked.size > 0;
    const isNewest = order === 'newest';
    const start = behind === null ? (isNewest ? endOfStream : 0) : Number(behind);
    const shown = visibleSpans(absences);
    const found: MessageRow[] = [];
    for (const span of isNewest ? shown.toReversed() : shown) {
      const wanted = limit + 1 - found.length;
      const after = isNewest ? span.after : Math.max(span.after, start);
      const upTo = isNewest ? Math.min(span.upTo, start - 1) : span.upTo;
      if (wanted <= 0) break;
      if (after >= upTo) continue;
      const values = { channelId, after, upTo, limit: wanted };
      found.push(
        ...(yield* isFiltered
          ? read.all(isNewest ? newestUnblocked : oldestUnblocked, { ...values, ...owner })
          : read.all(isNewest ? newestBetween : oldestBetween, values)),
      );
    }
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const [end = start] = last ? eventSeqsOf(last) : [];
    const total = yield* visibleCount(read, channel, absences, isFiltered ? owner : undefined);
    const reader = { wallet: owner.wallet, absences, blocked };
    const page = yield* toMessagesPage(read, channelId, { total, rows }, reader);
    const nextCursor = toListCursor(order, String(Math.min(end, 10 ** 15 - 1)));
    return { ...page, end: { nextCursor, more: found.length > limit } };
  },
);

/**
 * The channels a player is in by their latest activity, after the cursor. A channel with new activity between two pages
 * moves to the newest end: reading oldest first, it is repeated, and none is skipped.
 */
export const listChannelsFrom = query(
  'listChannelsFrom',
  function* (read, { gameId, wallet }: Owner, { limit, order, behind }: CursorPage): ReadSteps<ChannelsPage> {
    const isNewest = order === 'newest';
    const start = behind ?? `${isNewest ? 10 ** 15 - 1 : 0}.00000000-0000-0000-0000-000000000000`;
    const dot = start.indexOf('.');
    const values = { gameId, wallet, at: Number(start.slice(0, dot)), id: start.slice(dot + 1) };
    const text = isNewest ? newestChannels : oldestChannels;
    const found = yield* read.all(text, { ...values, limit: limit + 1 });
    const wanted = found.slice(0, limit);
    const rows = yield* withParticipants(read, wanted);
    const last = rows.at(-1);
    const nextCursor = toListCursor(order, last ? `${last.updatedAt}.${last._id}` : start);
    return {
      total: yield* read.count(participants.byWallet, [wallet, gameId]),
      rows,
      ...(rows.length < wanted.length && { isShortened: true }),
      end: { nextCursor, more: found.length > rows.length },
    };
  },
);

const betweenText = (seq: string, direction: string, condition = '') =>
  `SELECT ${columnsOf(messages)} FROM messages
    WHERE channel_id = @channelId AND ${seq} > @after AND ${seq} <= @upTo ${condition}
    ORDER BY ${seq} ${direction} LIMIT @limit`;
// A type, not an interface: statement values must be assignable to a record.
type Between = { channelId: string; after: number; upTo: number; limit: number };
const between = (direction: string) =>
  statement<Between, MessageRow>({
    sqlite: betweenText(seqOfMessage.sqlite, direction),
    postgres: betweenText(seqOfMessage.postgres, direction),
  });
const newestBetween = between('DESC');
const oldestBetween = between('ASC');
const unblocked = (direction: string) =>
  statement<Between & { gameId: string; wallet: string }, MessageRow>({
    sqlite: betweenText(seqOfMessage.sqlite, direction, `AND ${isNotBlocked('messages')}`),
    postgres: betweenText(seqOfMessage.postgres, direction, `AND ${isNotBlocked('messages')}`),
  });
const newestUnblocked = unblocked('DESC');
const oldestUnblocked = unblocked('ASC');

const channelsText = (comparison: '<' | '>', direction: string) =>
  `SELECT ${channelColumns} FROM participants AS p JOIN message_channels AS c ON c.id = p.channel_id
  WHERE p.wallet = @wallet AND p.game_id = @gameId
    AND (c.updated_at ${comparison} @at OR (c.updated_at = @at AND c.id ${comparison} @id))
  ORDER BY c.updated_at ${direction}, c.id ${direction} LIMIT @limit`;
const channels = (comparison: '<' | '>', direction: string) =>
  statement<{ gameId: string; wallet: string; at: number; id: string; limit: number }, DescribedChannelRow>(
    channelsText(comparison, direction),
  );
const newestChannels = channels('<', 'DESC');
const oldestChannels = channels('>', 'ASC');
