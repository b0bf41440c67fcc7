import type { Owner } from '../core/schemas/owner.ts';
import type { Read, ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import { blockedBy } from './audience.ts';
import type { Span } from './stored-channel.ts';
import { seqOfMessage } from './stored-message.ts';

export const nobody: ReadonlySet<string> = new Set();

/** Whom a player blocks who is or was in the channel: nobody, for almost everyone, by one look at an index. */
export function* blockedIn(read: Read, owner: Owner, channelId: string): ReadSteps<ReadonlySet<string>> {
  const [any] = yield* read.all(blockedInChannel, { ...owner, channelId });
  return any ? yield* blockedBy(read, channelId, owner.wallet) : nobody;
}

/** How many messages of a part of the channel's stream are by somebody whom the player blocks. */
export function* hiddenCount(
  read: Read,
  { gameId, wallet }: Owner,
  channelId: string,
  span: Span,
): ReadSteps<number> {
  return (yield* read.first(countBlockedBetween, { channelId, ...span, gameId, wallet }))?.count ?? 0;
}

/** As SQL: this message is by nobody whom @wallet blocks in the game @gameId. */
export function isNotBlocked(message: string): string {
  return `NOT EXISTS (SELECT 1 FROM player_blocks AS k
    WHERE k.wallet = @wallet AND k.game_id = @gameId AND k.blocked = ${message}.sender)`;
}

const blockedInChannel = statement<{ channelId: string; gameId: string; wallet: string }, { found: number }>(
  `SELECT 1 AS found FROM player_blocks AS k WHERE k.wallet = @wallet AND k.game_id = @gameId AND (
      EXISTS (SELECT 1 FROM participants AS p WHERE p.channel_id = @channelId AND p.wallet = k.blocked)
      OR EXISTS (SELECT 1 FROM left_channels AS l WHERE l.wallet = k.blocked AND l.channel_id = @channelId)) LIMIT 1`,
);

const blockedCountText = (seq: string) =>
  `SELECT count(*) AS count FROM messages WHERE channel_id = @channelId AND ${seq} > @after AND ${seq} <= @upTo
      AND sender IN (SELECT k.blocked FROM player_blocks AS k WHERE k.wallet = @wallet AND k.game_id = @gameId)`;
const countBlockedBetween = statement<
  { channelId: string; gameId: string; wallet: string; after: number; upTo: number },
  { count: number }
>({ sqlite: blockedCountText(seqOfMessage.sqlite), postgres: blockedCountText(seqOfMessage.postgres) });
