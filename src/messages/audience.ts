import type { Audience } from '../core/events/stream.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import type { Read, ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import { bans } from '../players/tables.ts';
import type { MessageChannelRow, ParticipantRow } from './tables.ts';

/**
 * Who hears an event that is emitted now: everyone who is in the channel as it stands, except those who are banned from the
 * game. They have no session there, but their launcher's own hears every game.
 */
export function* audienceOf(
  tx: Tx,
  { gameId }: Pick<MessageChannelRow, 'gameId'>,
  members: readonly Pick<ParticipantRow, 'wallet'>[],
): Steps<Audience> {
  const wallets = members.map(({ wallet }) => wallet);
  const [anyone] = yield* tx.list(bans.byGame, [gameId], { limit: 1 });
  if (!anyone) return { kind: 'players', gameId, wallets };
  const banned = yield* tx.all(...wallets.map((wallet) => tx.get(bans, wallet, gameId)));
  return { kind: 'players', gameId, wallets: wallets.filter((_, at) => banned[at] === undefined) };
}

/**
 * Who an event of a channel was for: the participants at the moment it was emitted, whoever has joined or left since,
 * except those who are banned from the game now. So a node that reads it late tells the same players as the node that
 * wrote it. Of those who left before leaving was
 * recorded with its place in the stream, nobody.
 */
export function* audienceAt(read: Read, channelId: string, seq: number): ReadSteps<Audience> {
  return toAudience(yield* read.all(participantsAt, { channelId, seq }));
}

/** The participants of a channel when its event `seq` was emitted, with the channel's game. */
const participantsAt = statement<
  { channelId: string; seq: number },
  { gameId: string; wallet: string }
>(`SELECT c.game_id AS "gameId", p.wallet
  FROM message_channels AS c CROSS JOIN (
    SELECT wallet FROM participants WHERE channel_id = @channelId AND joined_seq < @seq
    UNION SELECT wallet FROM left_channels
      WHERE channel_id = @channelId AND left_seq >= @seq AND joined_seq < @seq) AS p
  WHERE c.id = @channelId
    AND NOT EXISTS (SELECT 1 FROM bans AS b WHERE b.wallet = p.wallet AND b.game_id = CAST(c.game_id AS text))`);

function toAudience(rows: readonly { gameId: string; wallet: string }[]): Audience {
  return { kind: 'players', gameId: rows[0]?.gameId ?? '', wallets: rows.map(({ wallet }) => wallet) };
}
