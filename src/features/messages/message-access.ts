import type { Owner } from '../../core/schemas/owner.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import {
  type LockedChannel,
  lockWholeChannel,
  memberIn,
  messageUnknown,
  wasAwayAt,
} from './channel-access.ts';
import { eventSeqsOf } from './message-rows.ts';
import { type MessageRow, messages, type ParticipantRow } from './tables.ts';

/** A message with its channel, locked. @throws GantryError `message_unknown` */
export function* lockMessage(
  tx: Tx,
  messageId: string,
): Steps<{ message: MessageRow; channel: LockedChannel }> {
  const found = yield* tx.get(messages, messageId);
  if (!found) throw messageUnknown();
  const channel = yield* lockWholeChannel(tx, found.channelId);
  const message = yield* tx.get(messages, messageId);
  if (!message || !channel) throw messageUnknown();
  return { message, channel };
}

/**
 * The player's membership.
 * @throws GantryError `message_unknown` when the message is hidden from them or not in the channel
 */
export function* requireVisible(
  tx: Tx,
  channel: LockedChannel,
  owner: Owner,
  messageId: string,
): Steps<ParticipantRow> {
  const message = yield* tx.get(messages, messageId);
  const member = memberIn(channel, owner);
  if (!member || message?.channelId !== channel.row.id) throw messageUnknown();
  const [seq = 0] = eventSeqsOf(message);
  if (yield* wasAwayAt(tx, member, seq)) throw messageUnknown();
  return member;
}
