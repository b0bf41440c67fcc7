import { lockChannel } from '../core/events/stream-locks.ts';
import type { StreamRow } from '../core/events/streams.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { maxParticipants, type Permission } from './message-channel.ts';
import { absencesBetween, maxStays, rowMay } from './stored-channel.ts';
import {
  formerParticipants,
  type MessageChannelRow,
  messageChannels,
  type ParticipantRow,
  participants,
} from './tables.ts';

/** A channel that a command has to itself. */
export interface LockedChannel {
  /** As it was when it was locked. */
  stream: StreamRow;
  row: MessageChannelRow;
  /** In the order of joining. */
  members: readonly ParticipantRow[];
}

/**
 * Has a channel to itself, and with it what else is given; undefined where there is none. Locks among the others must come
 * after a channel's in the order of locks.
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

/** The member, to whom the channel is there; to everyone else it is not, as if its id had never been. */
export function memberIn(channel: LockedChannel | undefined, { gameId, wallet }: Owner) {
  if (channel?.row.gameId !== gameId) return undefined;
  return channel.members.find((member) => member.wallet === wallet);
}

/**
 * The channel, to someone who is in it and may do what is asked.
 * @throws GantryError `channel_unknown`; `permission_missing` when `wanted` is given and not held
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
  if (wanted && !rowMay(member, wanted)) {
    throw new GantryError('permission_missing', `This takes the permission ${wanted} in the channel`);
  }
}

export function channelUnknown(): GantryError {
  return new GantryError('channel_unknown', 'There is no such message channel');
}

export function messageUnknown(): GantryError {
  return new GantryError('message_unknown', 'There is no such message');
}

/** Whether something was said while someone who is in the channel now had left it: it is not shown to them. */
export function* wasAwayAt(
  tx: Tx,
  { wallet, channelId, joinedSeq }: ParticipantRow,
  seq: number,
): Steps<boolean> {
  if (seq > joinedSeq) return false;
  const stays = yield* tx.list(formerParticipants.byWallet, [wallet, channelId], { limit: maxStays });
  return absencesBetween(stays, joinedSeq).some(({ after, upTo }) => seq > after && seq <= upTo);
}
