import { GantryError } from '../../core/errors.ts';
import { lockChannel } from '../../core/events/stream-locks.ts';
import type { StreamRow } from '../../core/events/tables.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../../core/storage/command.ts';
import type { Lookup, LookupSteps } from '../../core/storage/lookup.ts';
import { maxParticipants, type Permission } from './message-channel.ts';
import { absencesBetween, eventSeqsOf, maxStays, rowHasPermission } from './message-rows.ts';
import {
  formerParticipants,
  type MessageChannelRow,
  type MessageRow,
  messageChannels,
  messages,
  type ParticipantRow,
  participants,
} from './tables.ts';

/** A channel locked by a command. */
export interface LockedChannel {
  /** Its state when it was locked. */
  stream: StreamRow;
  row: MessageChannelRow;
  /** In the order of joining. */
  members: readonly ParticipantRow[];
}

/**
 * Locks a channel and runs `others` in the same round trip; undefined when the channel does not exist. Locks in
 * `others` must come after channel locks in the lock order.
 */
export function* lockWholeChannel(
  tx: Tx,
  channelId: string,
  ...others: Request<unknown>[]
): Steps<LockedChannel | undefined> {
  const [stream, row, members] = yield* tx.all(
    lockChannel(tx, channelId),
    tx.get(messageChannels, channelId),
    tx.list(participants.byChannel, [channelId], { limit: maxParticipants }),
    ...others,
  );
  return row && { stream, row, members };
}

/**
 * The owner's membership; undefined otherwise, since to non-members a channel is indistinguishable from an unknown one.
 */
export function memberIn(channel: LockedChannel | undefined, { gameId, wallet }: Owner) {
  if (channel?.row.gameId !== gameId) return undefined;
  return channel.members.find((member) => member.wallet === wallet);
}

/**
 * The channel, once the caller is known to be a member with the required permission.
 * @throws GantryError `channel_unknown`; `permission_missing` when `wanted` is given and the member lacks it
 */
export function requireMember(
  channel: LockedChannel | undefined,
  owner: Owner,
  wanted?: Permission,
): LockedChannel {
  const member = memberIn(channel, owner);
  if (!channel || !member) throw channelUnknown();
  requirePermission(member, wanted);
  return channel;
}

/** @throws GantryError `permission_missing` */
export function requirePermission(member: ParticipantRow, wanted?: Permission): void {
  if (wanted && !rowHasPermission(member, wanted)) {
    throw new GantryError('permission_missing', `This requires the permission ${wanted} in the channel`);
  }
}

export function channelUnknown(): GantryError {
  return new GantryError('channel_unknown', 'There is no such message channel');
}

export function messageUnknown(): GantryError {
  return new GantryError('message_unknown', 'There is no such message');
}

/** Whether the event `seq` was emitted while a current member had left the channel: it is not shown to that member. */
export function* wasAwayAt<Asked>(
  from: Lookup<Asked>,
  { wallet, channelId, joinedSeq }: ParticipantRow,
  seq: number,
): LookupSteps<Asked, boolean> {
  if (seq > joinedSeq) return false;
  const stays = yield* from.list(formerParticipants.byWallet, [wallet, channelId], { limit: maxStays });
  return absencesBetween(stays, joinedSeq).some(({ after, upTo }) => seq > after && seq <= upTo);
}

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
