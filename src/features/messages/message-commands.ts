import { GantryError } from '../../core/errors.ts';
import { redactEvents } from '../../core/events/redact-events.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockChannel } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { addStorageUse, lockStorageUse } from '../storage-quota/game-storage.ts';
import { audienceOf } from './audience.ts';
import { blocksOfAll } from './blocks/commands.ts';
import {
  channelUnknown,
  type LockedChannel,
  lockMessage,
  lockWholeChannel,
  memberIn,
  messageUnknown,
  requireMember,
  requirePermission,
  requireVisible,
} from './channel-access.ts';
import { messageCreated, messagePatched, messageRemoved } from './events.ts';
import type { ChannelMessage, MessageIdentity, Permission } from './message-channel.ts';
import { eventSeqsOf, reactionsOf, removeReactionsTo, storedBytesOf, toMessage } from './message-rows.ts';
import { anyMute, refuseMuted } from './mutes/mute.ts';
import { type MessageRow, messageChannels, messages } from './tables.ts';

/** Messages that `eraseMessagesOf` erases per batch; fewer when they have many reactions. */
const messagesPerSlice = 200;
const reactionsPerSlice = 2_000;
/** The most events that hold a message's content: the events of earlier edits are kept, with their content blanked. */
const maxEventsOfMessage = 50;
/** The most edits blanked per new edit: more than one only for messages that predate the limit. */
const blankedPerEdit = 20;

/**
 * `quota`: the sender's storage limit in the game, in bytes; `replyTo`: a message of the channel visible to the sender.
 * @throws GantryError `channel_unknown`, `permission_missing`, `muted`, `message_unknown`, `storage_full`
 */
export const sendMessage = command(
  'sendMessage',
  function* (
    tx,
    sender: Owner,
    channelId: string,
    content: string,
    quota?: number,
    replyTo?: string,
  ): Steps<ChannelMessage> {
    const locked = requireMember(
      yield* lockWholeChannel(
        tx,
        channelId,
        lockStorageUse(tx, sender),
        anyMute(tx, sender),
        blocksOfAll(tx, sender.wallet),
      ),
      sender,
      'send-messages',
    );
    const { row: channel, members } = locked;
    yield* refuseMuted(tx, sender, { channelId });
    if (replyTo !== undefined) yield* requireVisible(tx, locked, sender, replyTo);
    const message: ChannelMessage = {
      _id: tx.newId(),
      channelId,
      senderId: sender.wallet,
      content,
      createdAt: tx.now,
      updatedAt: tx.now,
      ...(replyTo !== undefined && { replyTo }),
    };
    const seq = tx.emit(
      streamOf.channel(channelId),
      messageCreated,
      message,
      yield* audienceOf(tx, channel, members, sender.wallet),
    );
    const row: MessageRow = {
      id: message._id,
      channelId,
      sender: sender.wallet,
      content,
      eventSeqs: `[${seq}]`,
      createdAt: tx.now,
      updatedAt: tx.now,
      replyTo: replyTo ?? null,
      reactions: null,
    };
    tx.insert(messages, row);
    yield* addStorageUse(tx, sender, storedBytesOf(row), quota);
    tx.put(messageChannels, { ...channel, messageCount: channel.messageCount + 1, updatedAt: tx.now });
    return message;
  },
);

/**
 * As `sendMessage`.
 * @throws GantryError `message_unknown`, `not_the_sender`, `permission_missing`, `muted`, `storage_full`
 */
export const editMessage = command(
  'editMessage',
  function* (tx, sender: Owner, messageId: string, content: string, quota?: number): Steps<ChannelMessage> {
    const { message: before, channel } = yield* ownMessage(tx, sender, messageId, 'send-messages');
    const { row, members } = channel;
    // With the lock that setting a mute takes: an edit of the same length needs no other.
    yield* tx.all(lockStorageUse(tx, sender), anyMute(tx, sender));
    yield* refuseMuted(tx, sender, { channelId: row.id });
    const record: ChannelMessage = { ...toMessage(before), content, updatedAt: tx.now };
    const seq = tx.emit(
      streamOf.channel(row.id),
      messagePatched,
      record,
      yield* audienceOf(tx, row, members, sender.wallet, eventSeqsOf(before)[0]),
    );
    const [sent = seq, ...edits] = eventSeqsOf(before);
    const excess = edits.splice(
      0,
      Math.min(blankedPerEdit, Math.max(0, edits.length + 2 - maxEventsOfMessage)),
    );
    yield* redactEvents(tx, streamOf.channel(row.id), excess, 'content');
    const eventSeqs = JSON.stringify([sent, ...edits, seq]);
    const after: MessageRow = { ...before, content, eventSeqs, updatedAt: tx.now };
    tx.put(messages, after);
    yield* addStorageUse(tx, sender, storedBytesOf(after) - storedBytesOf(before), quota);
    tx.put(messageChannels, { ...row, updatedAt: tx.now });
    return record;
  },
);

/** Erases the message's content everywhere it is stored. @throws GantryError `message_unknown`, `not_the_sender` */
export const unsendMessage = command(
  'unsendMessage',
  function* (tx, sender: Owner, messageId: string): Steps<MessageIdentity> {
    const { message, channel } = yield* ownMessage(tx, sender, messageId);
    return yield* erase(tx, message, channel);
  },
);

/** As `unsendMessage`, for moderation: any sender's message. @throws GantryError `message_unknown` */
export const deleteMessage = command(
  'deleteMessage',
  function* (tx, messageId: string): Steps<MessageIdentity> {
    const { message, channel } = yield* lockMessage(tx, messageId);
    return yield* erase(tx, message, channel);
  },
);

/**
 * Erases a bounded batch of a wallet's messages, including those in channels it has left; true when there may be more.
 */
export const eraseMessagesOf = command('eraseMessagesOf', function* (tx, wallet: string): Steps<boolean> {
  const found = yield* tx.list(messages.bySender, [wallet], { limit: messagesPerSlice });
  // In the order of their ids, as every command that locks several channels does.
  const channelIds = [...new Set(found.map(({ channelId }) => channelId))].sort();
  yield* tx.all(...channelIds.map((channelId) => lockChannel(tx, channelId)));
  const slice = yield* withFewReactions(tx, found);
  yield* forEach(tx, slice, function* (message) {
    const channel = yield* lockWholeChannel(tx, message.channelId);
    if (!channel) throw channelUnknown();
    yield* erase(tx, message, channel);
  });
  return found.length === messagesPerSlice || slice.length < found.length;
});

/** The leading messages that still exist, up to the one that exceeds the reactions allowed per batch. */
function* withFewReactions(tx: Tx, found: readonly MessageRow[]): Steps<MessageRow[]> {
  const rows = yield* tx.all(...found.map(({ id }) => tx.get(messages, id)));
  const slice: MessageRow[] = [];
  let reactions = 0;
  for (const message of rows) {
    if (reactions > reactionsPerSlice) break;
    if (!message) continue;
    slice.push(message);
    for (const [, count] of reactionsOf(message)) reactions += count;
  }
  return slice;
}

/**
 * A message this player sent in a channel they are still in.
 * @throws GantryError `message_unknown`; `not_the_sender` for another member's message; `permission_missing` when
 *   `wanted` is given and the sender lacks it
 */
function* ownMessage(
  tx: Tx,
  sender: Owner,
  messageId: string,
  wanted?: Permission,
): Steps<{ message: MessageRow; channel: LockedChannel }> {
  const found = yield* lockMessage(tx, messageId);
  const member = memberIn(found.channel, sender);
  if (!member) throw messageUnknown();
  if (found.message.sender !== sender.wallet) {
    throw new GantryError('not_the_sender', 'Only the sender may edit or unsend a message');
  }
  requirePermission(member, wanted);
  return found;
}

function* erase(
  tx: Tx,
  message: MessageRow,
  { row: channel, members }: LockedChannel,
): Steps<MessageIdentity> {
  const stream = streamOf.channel(channel.id);
  yield* redactEvents(tx, stream, eventSeqsOf(message), 'content');
  tx.scrub();
  tx.remove(messages, message);
  if (message.reactions !== null) yield* removeReactionsTo(tx, message, channel.gameId);
  yield* addStorageUse(tx, { gameId: channel.gameId, wallet: message.sender }, -storedBytesOf(message));
  tx.put(messageChannels, { ...channel, messageCount: channel.messageCount - 1 });
  const identity: MessageIdentity = {
    _id: message.id,
    channelId: channel.id,
    senderId: message.sender,
    createdAt: message.createdAt,
    updatedAt: tx.now,
  };
  tx.emit(stream, messageRemoved, identity, yield* audienceOf(tx, channel, members, message.sender));
  return identity;
}
