import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockChannel } from '../../core/events/stream-locks.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { addStorageUse, lockStorageUse, rowOverheadBytes } from '../storage-quota/game-storage.ts';
import { audienceOf } from './audience.ts';
import {
  type LockedChannel,
  lockMessage,
  lockWholeChannel,
  requirePermission,
  requireVisible,
} from './channel-access.ts';
import { messageReactionCreated, messageReactionRemoved } from './events.ts';
import { reactionsOf } from './message-rows.ts';
import { anyMute, refuseMuted } from './mutes/mute.ts';
import { maxReactionKinds, maxReactions, type ReactionCount } from './reaction.ts';
import { type MessageReactionRow, type MessageRow, messageReactions, messages } from './tables.ts';

/** Reactions that `eraseReactionsOf` erases per batch. */
const reactionsPerSlice = 200;

/** A message's current reactions, as one of the players sees them. */
export interface ReactedMessage {
  messageId: string;
  channelId: string;
  reactions: ReactionCount[];
}

/**
 * Adds a player's reaction to a message. Idempotent: an existing reaction changes nothing and emits no event. `quota`:
 * the player's storage limit in the game, in bytes.
 * @throws GantryError `message_unknown`, `permission_missing`, `muted`, `reaction_limit_reached`, `storage_full`
 */
export const addReactionTo = command(
  'addReactionTo',
  function* (tx, owner: Owner, messageId: string, reaction: string, quota?: number): Steps<ReactedMessage> {
    const { message, channel } = yield* lockMessage(tx, messageId);
    const member = yield* requireVisible(tx, channel, owner, messageId);
    requirePermission(member, 'send-messages');
    yield* tx.all(lockStorageUse(tx, owner), anyMute(tx, owner));
    yield* refuseMuted(tx, owner, { channelId: message.channelId });
    const { wallet } = owner;
    if (yield* tx.get(messageReactions, messageId, wallet, reaction))
      return yield* toReactedMessage(tx, message, owner);
    const counts = reactionsOf(message);
    const known = counts.find(([kind]) => kind === reaction);
    if (!known && counts.length >= maxReactionKinds) {
      throw limitReached(`A message has at most ${maxReactionKinds} different reactions; use one of them`);
    }
    if (counts.reduce((sum, [, count]) => sum + count, 0) >= maxReactions) {
      throw limitReached(`A message has at most ${grouped(maxReactions)} reactions`);
    }
    const row = { messageId, wallet, reaction, channelId: message.channelId, createdAt: tx.now };
    tx.insert(messageReactions, row);
    yield* addStorageUse(tx, owner, rowOverheadBytes, quota);
    const after = yield* changeCount(tx, message, channel, row, 1);
    return yield* toReactedMessage(tx, after, owner);
  },
);

/**
 * Removes a player's reaction. Idempotent: removing a missing reaction changes nothing and emits no event.
 * @throws GantryError `message_unknown`
 */
export const removeReactionFrom = command(
  'removeReactionFrom',
  function* (tx, owner: Owner, messageId: string, reaction: string): Steps<ReactedMessage> {
    const { message, channel } = yield* lockMessage(tx, messageId);
    yield* requireVisible(tx, channel, owner, messageId);
    const row = yield* tx.get(messageReactions, messageId, owner.wallet, reaction);
    if (!row) return yield* toReactedMessage(tx, message, owner);
    return yield* toReactedMessage(tx, yield* deleteReaction(tx, message, channel, row), owner);
  },
);

/**
 * Removes a bounded batch of a wallet's reactions, including those in channels it has left; true when there may be
 * more.
 */
export const eraseReactionsOf = command('eraseReactionsOf', function* (tx, wallet: string): Steps<boolean> {
  const found = yield* tx.list(messageReactions.byWallet, [wallet], { limit: reactionsPerSlice });
  // In the order of their ids, as every command that locks several channels does.
  const channelIds = [...new Set(found.map(({ channelId }) => channelId))].sort();
  yield* tx.all(...channelIds.map((channelId) => lockChannel(tx, channelId)));
  yield* forEach(tx, found, function* ({ messageId, channelId, reaction }) {
    const channel = yield* lockWholeChannel(tx, channelId);
    const [message, row] = yield* tx.all(
      tx.get(messages, messageId),
      tx.get(messageReactions, messageId, wallet, reaction),
    );
    if (message && channel && row) yield* deleteReaction(tx, message, channel, row);
  });
  return found.length === reactionsPerSlice;
});

function* deleteReaction(
  tx: Tx,
  message: MessageRow,
  channel: LockedChannel,
  row: MessageReactionRow,
): Steps<MessageRow> {
  tx.remove(messageReactions, row);
  yield* addStorageUse(tx, { gameId: channel.row.gameId, wallet: row.wallet }, -rowOverheadBytes);
  return yield* changeCount(tx, message, channel, row, -1);
}

/** Updates the count of a reaction and notifies the channel's members. The channel keeps its place in lists. */
function* changeCount(
  tx: Tx,
  message: MessageRow,
  { row: channel, members }: LockedChannel,
  { reaction, wallet }: MessageReactionRow,
  by: 1 | -1,
): Steps<MessageRow> {
  const counts = new Map(reactionsOf(message));
  const count = (counts.get(reaction) ?? 0) + by;
  if (count > 0) counts.set(reaction, count);
  else counts.delete(reaction);
  const after: MessageRow = { ...message, reactions: counts.size > 0 ? JSON.stringify([...counts]) : null };
  tx.put(messages, after);
  const record = { channelId: channel.id, messageId: message.id, wallet, reaction, count, at: tx.now };
  const type = by === 1 ? messageReactionCreated : messageReactionRemoved;
  tx.emit(streamOf.channel(channel.id), type, record, yield* audienceOf(tx, channel, members, wallet));
  return after;
}

function* toReactedMessage(tx: Tx, message: MessageRow, { wallet }: Owner): Steps<ReactedMessage> {
  const own = yield* tx.list(messageReactions.byMessage, [message.id, wallet], { limit: maxReactionKinds });
  const isOwn = new Set(own.map(({ reaction }) => reaction));
  return {
    messageId: message.id,
    channelId: message.channelId,
    reactions: reactionsOf(message).map(([reaction, count]) => ({
      reaction,
      count,
      ...(isOwn.has(reaction) && { own: true as const }),
    })),
  };
}

function limitReached(message: string): GantryError {
  return new GantryError('reaction_limit_reached', message);
}
