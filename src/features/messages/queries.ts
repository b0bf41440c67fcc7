import { comparableId } from '../../core/schemas/ids.ts';
import type { CursorEnd } from '../../core/schemas/list-cursor.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { columnsOf, query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { blockedIn, hiddenCount, isNotBlocked, noneBlocked } from './blocked-senders.ts';
import { holdsIn } from './blocks/tables.ts';
import { channelUnknown, requirePermission } from './channel-access.ts';
import {
  type ChannelMember,
  type ChannelMessage,
  type MessageChannel,
  maxParticipants,
} from './message-channel.ts';
import {
  absencesBetween,
  type DescribedChannelRow,
  maxStays,
  type Span,
  seqOfMessage,
  toChannel,
  toMessage,
} from './message-rows.ts';
import { type MessagesPage, toMessagesPage } from './messages-page.ts';
import {
  formerParticipants,
  type MessageChannelRow,
  type MessageRow,
  messageChannels,
  messages,
  type ParticipantRow,
  participants,
} from './tables.ts';

/** The most participants on a page of channels (about 100 bytes each), unless the first channel alone has more. */
export const maxParticipantsOnPage = 8_192;

export interface ChannelsPage extends Paged<MessageChannel> {
  /** Fewer channels than requested, because of `maxParticipantsOnPage`: continue after the last one. */
  isShortened?: true;
  /** Only for cursor pagination. */
  end?: CursorEnd;
}

/** Sessions read per member: the newest ones in the game, and as many in launchers. */
const sessionsPerMember = 5;

/**
 * The recipients of a member's typing signal: the other members, except those who are banned from the game or block the
 * member; none while the member is muted. @throws GantryError `channel_unknown`, `permission_missing`
 */
export const typingRecipients = query(
  'typingRecipients',
  function* (read, owner: Owner, channelId: string): ReadSteps<string[]> {
    const { member } = yield* requireChannel(read, owner, channelId);
    requirePermission(member, 'send-messages');
    const rows = yield* read.all(typingTo, { channelId, ...owner, now: read.now });
    return rows.map(({ wallet }) => wallet);
  },
);

/** The channels a player is in, most recently active first. */
export const listChannels = query(
  'listChannels',
  function* (read, { gameId, wallet }: Owner, { limit, skip }: Page): ReadSteps<ChannelsPage> {
    const found = yield* read.all(channelsOfMember, { gameId, wallet, limit, skip });
    const rows = yield* withParticipants(read, found);
    const total = yield* read.count(participants.byWallet, [wallet, gameId]);
    return { total, rows, ...(rows.length < found.length && { isShortened: true }) };
  },
);

/** Every channel of a game, most recently active first; for moderation. */
export const listChannelsOfGame = query(
  'listChannelsOfGame',
  function* (read, gameId: string, { limit, skip }: Page): ReadSteps<ChannelsPage> {
    const found = yield* read.all(channelsOfGame, { gameId, limit, skip });
    const rows = yield* withParticipants(read, found);
    const total = yield* read.count(messageChannels.byParticipants, [gameId]);
    return { total, rows, ...(rows.length < found.length && { isShortened: true }) };
  },
);

/** The members of a channel, in the order of joining. @throws GantryError `channel_unknown` */
export const listChannelMembers = query(
  'listChannelMembers',
  function* (read, owner: Owner, channelId: string): ReadSteps<ChannelMember[]> {
    yield* requireChannel(read, owner, channelId);
    const profiles = yield* read.all(profilesOfMembers, { channelId });
    const live = yield* read.all(liveSessionsOfMembers, {
      channelId,
      gameId: owner.gameId,
      now: read.now,
      limit: sessionsPerMember,
    });
    const sessionIds = Map.groupBy(live, ({ wallet }) => wallet);
    return profiles.map((profile) => ({
      ...profile,
      sessionIds: (sessionIds.get(profile.wallet) ?? []).map(({ id }) => id),
    }));
  },
);

/**
 * Newest first. Members who joined later also see earlier messages; members who left and came back see all but those
 * sent in their absence. Messages of players whom the reader blocks are omitted, unless the game's server reads
 * (`isUnfiltered`).
 * @throws GantryError `channel_unknown`
 */
export const listChannelMessages = query(
  'listChannelMessages',
  function* (
    read,
    owner: Owner,
    channelId: string,
    page: Page,
    isUnfiltered = false,
  ): ReadSteps<MessagesPage> {
    const { channel, member } = yield* requireChannel(read, owner, channelId);
    const absences = yield* absencesOf(read, member);
    const blocked = isUnfiltered ? noneBlocked : yield* blockedIn(read, owner, channelId);
    const found = yield* blocked.size > 0
      ? pageWithoutBlocked(read, channel, absences, owner, page)
      : absences.length === 0
        ? pageOf(read, channel, page)
        : pageBetween(read, channel, absences, page);
    return yield* toMessagesPage(read, channelId, found, { wallet: owner.wallet, absences, blocked });
  },
);

/** As `listChannelMessages`, for moderation. @throws GantryError `channel_unknown` */
export const listMessagesForModeration = query(
  'listMessagesForModeration',
  function* (read, channelId: string, page: Page): ReadSteps<MessagesPage> {
    const channel = yield* read.get(messageChannels, channelId);
    if (!channel) throw channelUnknown();
    const { total, rows } = yield* pageOf(read, channel, page);
    return yield* toMessagesPage(read, channelId, { total, rows });
  },
);

/** The messages a player has sent, in one game or in all, newest first. */
export const listMessagesOfPlayer = query(
  'listMessagesOfPlayer',
  function* (
    read,
    { wallet, gameId }: { wallet: string; gameId?: string | undefined },
    { limit, skip }: Page,
  ): ReadSteps<Paged<ChannelMessage & { gameId: string }>> {
    const filter = { wallet, gameId: gameId === undefined ? null : comparableId(gameId) };
    const total = (yield* read.first(countOfSender, filter))?.count ?? 0;
    const rows = yield* read.all(messagesOfSender, { ...filter, limit, skip });
    return { total, rows: rows.map((row) => ({ ...toMessage(row), gameId: row.gameId })) };
  },
);

const ofSender = `FROM messages AS m JOIN message_channels AS c ON c.id = m.channel_id
  WHERE m.sender = @wallet AND (c.game_id = @gameId OR @gameId IS NULL)`;
const countOfSender = statement<{ wallet: string; gameId: string | null }, { count: number }>(
  `SELECT count(*) AS count ${ofSender}`,
);
const messagesOfSender = statement<
  { wallet: string; gameId: string | null; limit: number; skip: number },
  MessageRow & { gameId: string }
>(
  `SELECT m.id, m.channel_id AS "channelId", m.sender, m.content, m.event_seqs AS "eventSeqs",
      m.created_at AS "createdAt", m.updated_at AS "updatedAt", m.reply_to AS "replyTo", m.reactions, c.game_id AS "gameId" ${ofSender}
    ORDER BY m.created_at DESC, m.id DESC LIMIT @limit OFFSET @skip`,
);

export const channelColumns = `c.id, c.game_id AS "gameId", c.name, c.chat_picture AS "chatPicture",
  c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;

const channelsOfMember = statement<
  { gameId: string; wallet: string; limit: number; skip: number },
  DescribedChannelRow
>(`SELECT ${channelColumns} FROM participants AS p JOIN message_channels AS c ON c.id = p.channel_id
  WHERE p.wallet = @wallet AND p.game_id = @gameId
  ORDER BY c.updated_at DESC, c.id DESC LIMIT @limit OFFSET @skip`);

const channelsOfGame = statement<
  { gameId: string; limit: number; skip: number },
  DescribedChannelRow
>(`SELECT ${channelColumns} FROM message_channels AS c WHERE c.game_id = @gameId
  ORDER BY c.updated_at DESC, c.id DESC LIMIT @limit OFFSET @skip`);

const typingTo = statement<
  { channelId: string; gameId: string; wallet: string; now: number },
  { wallet: string }
>(`SELECT p.wallet FROM participants AS p WHERE p.channel_id = @channelId AND p.wallet <> @wallet
  AND NOT EXISTS (SELECT 1 FROM bans AS b WHERE b.wallet = p.wallet AND b.game_id = @gameId)
  AND NOT EXISTS (SELECT 1 FROM player_blocks AS k
    WHERE k.wallet = p.wallet AND k.blocked = @wallet AND ${holdsIn('p.game_id')})
  AND NOT EXISTS (SELECT 1 FROM player_mutes AS m WHERE m.wallet = @wallet AND m.game_id = p.game_id
    AND m.channel_id IN ('', CAST(p.channel_id AS text)) AND m.until > @now)`);

const profilesOfMembers = statement<
  { channelId: string },
  Omit<ChannelMember, 'sessionIds'>
>(`SELECT p.wallet, coalesce(l.username, '') AS username, coalesce(l.avatar, '') AS avatar
  FROM participants AS p LEFT JOIN players AS l ON l.wallet = p.wallet
  WHERE p.channel_id = @channelId ORDER BY p.position`);

/** In the game, and in launchers of those who have opened the game: anyone can be named as a member. */
const liveSessionsOfMembers = statement<
  { channelId: string; gameId: string; now: number; limit: number },
  { wallet: string; id: string }
>(`SELECT DISTINCT wallet, id FROM (
    SELECT s.wallet, s.id, row_number() OVER (PARTITION BY s.wallet ORDER BY s.opened_at DESC, s.id DESC) AS place
    FROM participants AS p JOIN channel_sessions AS s ON s.wallet = p.wallet
    WHERE p.channel_id = @channelId AND s.game_id = @gameId AND s.ended_at IS NULL AND s.expires_at > @now
    UNION ALL
    SELECT s.wallet, s.id, row_number() OVER (PARTITION BY s.wallet ORDER BY s.opened_at DESC, s.id DESC) AS place
    FROM participants AS p JOIN channel_sessions AS s ON s.wallet = p.wallet JOIN games AS g ON g.id = s.game_id
    WHERE p.channel_id = @channelId AND g.kind = 'launcher' AND s.ended_at IS NULL AND s.expires_at > @now
      AND EXISTS (SELECT 1 FROM opened_games AS o WHERE o.wallet = p.wallet AND o.game_id = @gameId)
  ) AS live WHERE place <= @limit`);

const betweenText = (seq: string) =>
  `SELECT ${columnsOf(messages)} FROM messages WHERE channel_id = @channelId AND ${seq} > @after AND ${seq} <= @upTo
    ORDER BY ${seq} DESC LIMIT @limit OFFSET @skip`;
const countText = (seq: string) =>
  `SELECT count(*) AS count FROM messages WHERE channel_id = @channelId AND ${seq} > @after AND ${seq} <= @upTo`;
const messagesBetween = statement<
  { channelId: string; after: number; upTo: number; limit: number; skip: number },
  MessageRow
>({ sqlite: betweenText(seqOfMessage.sqlite), postgres: betweenText(seqOfMessage.postgres) });
const countBetween = statement<{ channelId: string; after: number; upTo: number }, { count: number }>({
  sqlite: countText(seqOfMessage.sqlite),
  postgres: countText(seqOfMessage.postgres),
});

/** The spans in which a current member was absent from the channel, oldest first. */
export function* absencesOf(read: Read, { wallet, channelId, joinedSeq }: ParticipantRow): ReadSteps<Span[]> {
  const stays = yield* read.list(formerParticipants.byWallet, [wallet, channelId], { limit: maxStays });
  return absencesBetween(stays, joinedSeq);
}

/** A page of the messages sent outside these absences. */
function* pageBetween(
  read: Read,
  { id: channelId, messageCount }: MessageChannelRow,
  absences: readonly Span[],
  { limit, skip }: Page,
): ReadSteps<Paged<MessageRow>> {
  const total = yield* visibleCount(read, { id: channelId, messageCount }, absences);
  const rows: MessageRow[] = [];
  let left = skip;
  let upTo = Number.MAX_SAFE_INTEGER;
  for (const absence of [...absences.toReversed(), { after: 0, upTo: 0 }]) {
    const span = { after: absence.upTo, upTo };
    const wanted = limit - rows.length;
    if (wanted <= 0) break;
    const found = yield* read.all(messagesBetween, { channelId, ...span, limit: wanted, skip: left });
    rows.push(...found);
    if (found.length > 0) left = 0;
    else if (left > 0) left -= yield* count(read, channelId, span);
    upTo = absence.after;
  }
  return { total, rows };
}

/**
 * How many messages of a channel are visible given these absences; for a `blocker`, excluding those of blocked players.
 */
export function* visibleCount(
  read: Read,
  { id, messageCount }: Pick<MessageChannelRow, 'id' | 'messageCount'>,
  absences: readonly Span[],
  blocker?: Owner,
): ReadSteps<number> {
  let total = messageCount;
  for (const span of absences) total -= yield* count(read, id, span);
  if (!blocker) return total;
  for (const span of visibleSpans(absences)) total -= yield* hiddenCount(read, blocker, id, span);
  return total;
}

/** The spans of a channel's stream that are visible to a player, oldest first. */
export function visibleSpans(absences: readonly Span[]): Span[] {
  const ends = [...absences.map(({ after }) => after), Number.MAX_SAFE_INTEGER];
  return ends.map((upTo, at) => ({ after: absences[at - 1]?.upTo ?? 0, upTo }));
}

const unblockedText = (seq: string) =>
  `SELECT ${columnsOf(messages)} FROM messages
    WHERE channel_id = @channelId AND ${seq} > @after AND ${seq} <= @upTo AND ${isNotBlocked('messages')}
    ORDER BY ${seq} DESC LIMIT @limit OFFSET @skip`;
const unblockedBetween = statement<
  {
    channelId: string;
    gameId: string;
    wallet: string;
    after: number;
    upTo: number;
    limit: number;
    skip: number;
  },
  MessageRow
>({ sqlite: unblockedText(seqOfMessage.sqlite), postgres: unblockedText(seqOfMessage.postgres) });
/** As `pageBetween`, without messages of players whom the reader blocks. */
function* pageWithoutBlocked(
  read: Read,
  { id: channelId }: MessageChannelRow,
  absences: readonly Span[],
  owner: Owner,
  { limit, skip }: Page,
): ReadSteps<Paged<MessageRow>> {
  const { gameId, wallet } = owner;
  let total = 0;
  const rows: MessageRow[] = [];
  let upTo = Number.MAX_SAFE_INTEGER;
  for (const absence of [...absences.toReversed(), { after: 0, upTo: 0 }]) {
    const span = { channelId, after: absence.upTo, upTo };
    upTo = absence.after;
    const shown = (yield* count(read, channelId, span)) - (yield* hiddenCount(read, owner, channelId, span));
    const passed = Math.max(0, skip - total);
    total += shown;
    const wanted = limit - rows.length;
    if (wanted <= 0 || passed >= shown) continue;
    const from = rows.length === 0 ? passed : 0;
    rows.push(...(yield* read.all(unblockedBetween, { ...span, gameId, wallet, limit: wanted, skip: from })));
  }
  return { total, rows };
}

function* count(read: Read, channelId: string, span: Span): ReadSteps<number> {
  return (yield* read.first(countBetween, { channelId, ...span }))?.count ?? 0;
}

function participantsOf(read: Read, channelId: string) {
  return read.list(participants.byChannel, [channelId], { limit: maxParticipants });
}

/** The leading channels with at most `maxParticipantsOnPage` participants in total; at least one. */
export function* withParticipants(
  read: Read,
  rows: readonly DescribedChannelRow[],
): ReadSteps<MessageChannel[]> {
  const channels: MessageChannel[] = [];
  let count = 0;
  for (const row of rows) {
    const members = yield* participantsOf(read, row.id);
    count += members.length;
    if (count > maxParticipantsOnPage && channels.length > 0) break;
    channels.push(toChannel(row, members));
  }
  return channels;
}

/**
 * The channel and the caller's membership.
 * @throws GantryError `channel_unknown`, also when the caller is not a member
 */
export function* requireChannel(
  read: Read,
  { gameId, wallet }: Owner,
  channelId: string,
): ReadSteps<{ channel: MessageChannelRow; member: ParticipantRow }> {
  const channel = yield* read.get(messageChannels, channelId);
  const member = yield* read.get(participants, channelId, wallet);
  if (channel?.gameId !== gameId || !member) throw channelUnknown();
  return { channel, member };
}

function* pageOf(
  read: Read,
  channel: MessageChannelRow,
  { limit, skip }: Page,
): ReadSteps<Paged<MessageRow>> {
  const rows = yield* read.list(messages.byChannel, [channel.id], { limit, skip, last: true });
  return { total: channel.messageCount, rows: [...rows] };
}
