import type { Audience } from '../../core/events/stream.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { forEach } from '../../core/storage/steps.ts';
import { bans } from '../players/tables.ts';
import { blockersAmong } from './blocks/commands.ts';
import { holdsIn, playerBlocks } from './blocks/tables.ts';
import { wasAwayAt } from './channel-access.ts';
import { messagePatched } from './events.ts';
import { eventSeqsOf } from './message-rows.ts';
import {
  formerParticipants,
  type MessageChannelRow,
  messages,
  type ParticipantRow,
  participants,
} from './tables.ts';

/**
 * The audience of an event emitted now: the channel's current members, except those banned from the game. (A banned
 * player has no session in the game, but the player's launcher session receives the events of every game.) The event is
 * hidden from members who block `sender`, the sender of the message it concerns, and from those who had left the channel
 * when the message that it contains was sent, `sentSeq`.
 */
export function* audienceOf(
  tx: Tx,
  { gameId }: Pick<MessageChannelRow, 'gameId'>,
  members: readonly ParticipantRow[],
  sender?: string,
  sentSeq?: number,
): Steps<Audience> {
  const everyone = members.map(({ wallet }) => wallet);
  const blockers = sender === undefined ? [] : yield* blockersAmong(tx, { gameId, wallet: sender }, everyone);
  const away = sentSeq === undefined ? [] : yield* awayAmong(tx, members, sentSeq);
  const hiddenFrom = [...new Set([...blockers, ...away])];
  if (hiddenFrom.length === 0)
    return { kind: 'players', gameId, wallets: yield* notBanned(tx, gameId, everyone) };
  const wallets = everyone.filter((wallet) => !hiddenFrom.includes(wallet));
  return {
    kind: 'players',
    gameId,
    wallets: yield* notBanned(tx, gameId, wallets),
    hiddenFrom: yield* notBanned(tx, gameId, hiddenFrom),
  };
}

/** The members who had left the channel when its event `seq` was emitted. */
function* awayAmong(tx: Tx, members: readonly ParticipantRow[], seq: number): Steps<string[]> {
  const away = yield* forEach(tx, members, (member) => wasAwayAt(tx, member, seq));
  return members.filter((_, at) => away[at]).map(({ wallet }) => wallet);
}

function* notBanned(tx: Tx, gameId: string, wallets: readonly string[]): Steps<readonly string[]> {
  const [anyone] = yield* tx.list(bans.byGame, [gameId], { limit: 1 });
  if (!anyone) return wallets;
  const banned = yield* tx.all(...wallets.map((wallet) => tx.get(bans, wallet, gameId)));
  return wallets.filter((_, at) => banned[at] === undefined);
}

/**
 * The audience of a channel's event `seq`: the participants at the moment it was emitted, regardless of later joins and
 * leaves, except those banned from the game now. A node that reads the event late thus delivers it to the same players
 * as the node that wrote it. Former participants whose leaving was recorded without its position in the stream are not
 * included. Hidden from those who block the sender now, and from those who had left the channel when the message of an
 * edit was sent.
 */
export function* audienceAt(
  read: Read,
  channelId: string,
  { seq, name, record: text }: { seq: number; name: string; record: string },
): ReadSteps<Audience> {
  const record: object = JSON.parse(text);
  const sender = senderOf(name, record) ?? '';
  const sentSeq = (yield* sentSeqOf(read, name, record)) ?? 0;
  return toAudience(yield* read.all(participantsAt, { channelId, seq, sender, sentSeq }));
}

/**
 * Those of these events of a channel that hold a message sent while the player, now a member, had left it: edits of it.
 */
export function* editsOfMissed<Event extends { name: string; record: string }>(
  read: Read,
  channelId: string,
  wallet: string,
  events: readonly Event[],
): ReadSteps<ReadonlySet<Event>> {
  const missed = new Set<Event>();
  const edits = events.filter(({ name }) => name === messagePatched.name);
  if (edits.length === 0) return missed;
  const member = yield* read.get(participants, channelId, wallet);
  const [stay] = yield* read.list(formerParticipants.byWallet, [wallet, channelId], { limit: 1 });
  if (!member || !stay) return missed;
  for (const edit of edits) {
    const sentSeq = yield* sentSeqOf(read, edit.name, JSON.parse(edit.record));
    if (sentSeq !== undefined && (yield* wasAwayAt(read, member, sentSeq))) missed.add(edit);
  }
  return missed;
}

/** The seq of the message that an event of an edit holds; undefined for other events, and when it was unsent. */
function* sentSeqOf(read: Read, name: string, record: object): ReadSteps<number | undefined> {
  if (name !== messagePatched.name || !('_id' in record)) return undefined;
  const message = yield* read.get(messages, String(record._id));
  return message && eventSeqsOf(message)[0];
}

/** The players that a player blocks in the channel's game. */
export function* blockedBy(read: Read, channelId: string, wallet: string): ReadSteps<ReadonlySet<string>> {
  const [any] = yield* read.list(playerBlocks.byTime, [wallet], { limit: 1 });
  if (!any) return new Set();
  const rows = yield* read.all(blockedInGameOf, { channelId, wallet });
  return new Set(rows.map(({ blocked }) => blocked));
}

const blockedInGameOf = statement<{ channelId: string; wallet: string }, { blocked: string }>(
  `SELECT k.blocked FROM message_channels AS c JOIN player_blocks AS k ON ${holdsIn('c.game_id')}
    WHERE c.id = @channelId AND k.wallet = @wallet`,
);

/** The author of the message or reaction that a channel's event concerns; undefined when it concerns neither. */
export function senderOf(name: string, record: object): string | undefined {
  if (name.startsWith('chat-messages ') && 'senderId' in record) return String(record.senderId);
  if (name.startsWith('message-reactions ') && 'wallet' in record) return String(record.wallet);
  return undefined;
}

interface AudienceRow {
  gameId: string;
  wallet: string;
  isHidden: number;
}

/** SQL: whether the participant p had left when the event @sentSeq was emitted: after a stay, and in none. */
const wasAway = `EXISTS (SELECT 1 FROM former_participants AS f WHERE f.wallet = p.wallet AND f.channel_id = @channelId
      AND f.left_seq > 0 AND f.left_seq < @sentSeq)
    AND NOT EXISTS (SELECT 1 FROM former_participants AS f WHERE f.wallet = p.wallet AND f.channel_id = @channelId
      AND f.joined_seq < @sentSeq AND f.left_seq >= @sentSeq)
    AND NOT EXISTS (SELECT 1 FROM participants AS m WHERE m.wallet = p.wallet AND m.channel_id = @channelId
      AND m.joined_seq < @sentSeq)`;

/** The participants of a channel when its event `seq` was emitted, with the channel's game. */
const participantsAt = statement<
  { channelId: string; seq: number; sender: string; sentSeq: number },
  AudienceRow
>(`SELECT c.game_id AS "gameId", p.wallet, CASE WHEN EXISTS (SELECT 1 FROM player_blocks AS k
      WHERE k.wallet = p.wallet AND k.blocked = @sender AND ${holdsIn('c.game_id')})
    OR (${wasAway}) THEN 1 ELSE 0 END AS "isHidden"
  FROM message_channels AS c CROSS JOIN (
    SELECT wallet FROM participants WHERE channel_id = @channelId AND joined_seq < @seq
    UNION SELECT wallet FROM former_participants
      WHERE channel_id = @channelId AND left_seq >= @seq AND joined_seq < @seq) AS p
  WHERE c.id = @channelId
    AND NOT EXISTS (SELECT 1 FROM bans AS b WHERE b.wallet = p.wallet AND b.game_id = CAST(c.game_id AS text))`);

function toAudience(rows: readonly AudienceRow[]): Audience {
  const gameId = rows[0]?.gameId ?? '';
  const hiddenFrom = rows.filter(({ isHidden }) => isHidden === 1).map(({ wallet }) => wallet);
  const wallets = rows.filter(({ isHidden }) => isHidden === 0).map(({ wallet }) => wallet);
  return { kind: 'players', gameId, wallets, ...(hiddenFrom.length > 0 && { hiddenFrom }) };
}
