import type { Audience } from '../../core/events/stream.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { bans } from '../players/tables.ts';
import { blockersAmong } from './blocks/commands.ts';
import { holdsIn, playerBlocks } from './blocks/tables.ts';
import type { MessageChannelRow, ParticipantRow } from './tables.ts';

/**
 * The audience of an event emitted now: the channel's current members, except those banned from the game. (A banned
 * player has no session in the game, but the player's launcher session receives the events of every game.) The event is
 * hidden from members who block `sender`, the sender of the message it concerns.
 */
export function* audienceOf(
  tx: Tx,
  { gameId }: Pick<MessageChannelRow, 'gameId'>,
  members: readonly Pick<ParticipantRow, 'wallet'>[],
  sender?: string,
): Steps<Audience> {
  const everyone = members.map(({ wallet }) => wallet);
  const hiddenFrom =
    sender === undefined ? [] : yield* blockersAmong(tx, { gameId, wallet: sender }, everyone);
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
 * included. Hidden from those who block `sender` now.
 */
export function* audienceAt(
  read: Read,
  channelId: string,
  seq: number,
  sender: string | undefined,
): ReadSteps<Audience> {
  return toAudience(yield* read.all(participantsAt, { channelId, seq, sender: sender ?? '' }));
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

/** The participants of a channel when its event `seq` was emitted, with the channel's game. */
const participantsAt = statement<
  { channelId: string; seq: number; sender: string },
  AudienceRow
>(`SELECT c.game_id AS "gameId", p.wallet, CASE WHEN EXISTS (SELECT 1 FROM player_blocks AS k
      WHERE k.wallet = p.wallet AND k.blocked = @sender AND ${holdsIn('c.game_id')}) THEN 1 ELSE 0 END AS "isHidden"
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
