import type { Owner } from '../../core/schemas/owner.ts';
import { type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { blockedBy } from './audience.ts';
import { holdsIn } from './blocks/tables.ts';
import { type Span, seqOfMessage } from './message-rows.ts';

export const noneBlocked: ReadonlySet<string> = new Set();

/** The blocked players who are or were in the channel. For most players this is empty and costs one index lookup. */
export function* blockedIn(read: Read, owner: Owner, channelId: string): ReadSteps<ReadonlySet<string>> {
  const [any] = yield* read.all(blockedInChannel, { ...owner, channelId });
  return any ? yield* blockedBy(read, channelId, owner.wallet) : noneBlocked;
}

/** How many messages in a span of the channel's stream were sent by players that the player blocks. */
export function* hiddenCount(
  read: Read,
  { gameId, wallet }: Owner,
  channelId: string,
  span: Span,
): ReadSteps<number> {
  return (yield* read.first(countBlockedBetween, { channelId, ...span, gameId, wallet }))?.count ?? 0;
}

/** SQL condition: the message's sender is not blocked by @wallet in the game @gameId. */
export function isNotBlocked(message: string): string {
  return `NOT EXISTS (SELECT 1 FROM player_blocks AS k
    WHERE k.wallet = @wallet AND k.blocked = ${message}.sender AND ${holdsIn('@gameId')})`;
}

const blockedInChannel = statement<{ channelId: string; gameId: string; wallet: string }, { found: number }>(
  `SELECT 1 AS found FROM player_blocks AS k WHERE k.wallet = @wallet AND ${holdsIn('@gameId')} AND (
      EXISTS (SELECT 1 FROM participants AS p WHERE p.channel_id = @channelId AND p.wallet = k.blocked)
      OR EXISTS (SELECT 1 FROM former_participants AS l WHERE l.wallet = k.blocked AND l.channel_id = @channelId)) LIMIT 1`,
);

const blockedCountText = (seq: string) =>
  `SELECT count(*) AS count FROM messages WHERE channel_id = @channelId AND ${seq} > @after AND ${seq} <= @upTo
      AND sender IN (SELECT k.blocked FROM player_blocks AS k WHERE k.wallet = @wallet AND ${holdsIn('@gameId')})`;
const countBlockedBetween = statement<
  { channelId: string; gameId: string; wallet: string; after: number; upTo: number },
  { count: number }
>({ sqlite: blockedCountText(seqOfMessage.sqlite), postgres: blockedCountText(seqOfMessage.postgres) });
