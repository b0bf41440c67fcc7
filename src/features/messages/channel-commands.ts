import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockChannel, lockPlayer } from '../../core/events/stream-locks.ts';
import type { StreamRow } from '../../core/events/tables.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { requireGuests } from '../players/guests.ts';
import { lockStorageUse } from '../storage-quota/game-storage.ts';
import { audienceOf } from './audience.ts';
import { blockersAmong, refuseBlocked } from './blocks/commands.ts';
import { type LockedChannel, lockWholeChannel, requireMember } from './channel-access.ts';
import { messageChannelCreated, messageChannelPatched } from './events.ts';
import {
  type ChannelInfo,
  creatorPermissions,
  type MessageChannel,
  maxJoinedChannels,
  maxParticipants,
  maxSharedChannels,
  maxStartedChannels,
  memberPermissions,
  type NewChannelInfo,
  type Permission,
} from './message-channel.ts';
import { isRecorded, participantsKeyOf, rowHasPermission, toChannel } from './message-rows.ts';
import { anyMute, refuseMuted } from './mutes/mute.ts';
import {
  declinedAdders,
  formerParticipants,
  type MessageChannelRow,
  messageChannels,
  type ParticipantRow,
  participants,
  readMarkers,
} from './tables.ts';

/** Channels that `leaveAllChannels` leaves per batch: each emits an event with all its participants. */
const channelsPerSlice = 50;

/** The most former stays kept per player and channel. */
const maxEarlierStays = 100;

/** Rows that `clearAdder` changes per batch. */
const addedPerSlice = 200;

/**
 * Returns the channel with exactly these participants in this game: the existing one unchanged, or a new one.
 * @throws GantryError `adding_declined`, `player_blocked`, `channel_limit_reached`; for guests `player_unknown`,
 *   `guest_upgraded`
 */
export const createChannel = command(
  'createChannel',
  function* (
    tx,
    { gameId, wallet: creator }: Owner,
    others: readonly string[],
    { name = '', permissions = {} }: NewChannelInfo = {},
  ): Steps<MessageChannel> {
    const wallets = [creator, ...others];
    const key = participantsKeyOf(wallets);
    yield* requireGuests(tx, others);
    // Any of them may create this channel concurrently on another node: the second finds what the first has created.
    // Each player's channel count also changes only under that player's lock.
    yield* lockPlayers(tx, gameId, wallets);
    const existing = yield* channelWithParticipants(tx, gameId, key);
    if (existing) return existing;
    yield* requireRoomToStart(tx, { gameId, wallet: creator });
    yield* requireRoomFor(tx, { gameId, wallet: creator }, others);
    yield* requireAddingAllowed(tx, { gameId, wallet: creator }, others);
    const id = tx.newId();
    const { seq } = yield* lockChannel(tx, id);
    const row: MessageChannelRow = {
      id,
      gameId,
      participantsKey: key,
      name,
      chatPicture: '',
      messageCount: 0,
      createdAt: tx.now,
      updatedAt: tx.now,
    };
    const members = wallets.map((wallet, at) =>
      newParticipant(row, wallet, {
        permissions: wallet === creator ? creatorPermissions : (permissions[wallet] ?? memberPermissions),
        position: at + 1,
        joinedSeq: seq,
        addedBy: creator,
      }),
    );
    tx.insert(messageChannels, row);
    for (const member of members) tx.insert(participants, member);
    const channel = toChannel(row, members);
    tx.emit(streamOf.channel(id), messageChannelCreated, channel, yield* audienceOf(tx, row, members));
    return channel;
  },
);

/**
 * A member can grant only permissions they hold themselves.
 * @throws GantryError `channel_unknown`, `permission_missing`, `participants_invalid`, `adding_declined`,
 *   `player_blocked`, `channel_limit_reached`; for guests `player_unknown`, `guest_upgraded`
 */
export const addToChannel = command(
  'addToChannel',
  function* (
    tx,
    by: Owner,
    channelId: string,
    wallet: string,
    permissions: readonly Permission[] = memberPermissions,
  ): Steps<MessageChannel> {
    yield* requireGuests(tx, [wallet]);
    yield* lockPlayers(tx, by.gameId, [by.wallet, wallet]);
    const channel = requireMember(yield* lockWholeChannel(tx, channelId), by, 'add-members');
    const { row, members, stream } = channel;
    for (const wanted of permissions) if (wanted !== 'send-messages') requireMember(channel, by, wanted);
    if (members.some((member) => member.wallet === wallet)) {
      throw new GantryError('participants_invalid', `${wallet} is already in the channel`);
    }
    if (members.length >= maxParticipants) {
      throw new GantryError('participants_invalid', `A channel has at most ${maxParticipants} participants`);
    }
    yield* requireRoomFor(tx, by, [wallet]);
    yield* requireAddingAllowed(tx, by, [wallet]);
    const added = newParticipant(row, wallet, {
      permissions,
      position: (members.at(-1)?.position ?? 0) + 1,
      joinedSeq: stream.seq,
      addedBy: by.wallet,
    });
    tx.insert(participants, added);
    return yield* changeChannel(tx, row, [...members, added]);
  },
);

/**
 * A player who removes themselves leaves, which is always allowed: the player who added them cannot add them to any
 * channel of the game again, until they add that player to a channel. Returns the remaining channel, whose events the removed
 * player no longer receives.
 * @throws GantryError `channel_unknown`, `permission_missing`, `participants_invalid`
 */
export const removeFromChannel = command(
  'removeFromChannel',
  function* (tx, by: Owner, channelId: string, wallet: string): Steps<MessageChannel> {
    const wanted = wallet === by.wallet ? undefined : 'super-admin';
    const channel = requireMember(yield* lockWholeChannel(tx, channelId), by, wanted);
    const leaving = channel.members.find((member) => member.wallet === wallet);
    if (!leaving) throw new GantryError('participants_invalid', `${wallet} is not in the channel`);
    const { gameId, addedBy } = leaving;
    if (wallet === by.wallet && addedBy !== wallet && addedBy !== '') {
      tx.put(declinedAdders, { wallet, gameId, adder: addedBy });
    }
    return yield* leave(tx, channel, leaving);
  },
);

/** Changes the given fields. @throws GantryError `channel_unknown`, `permission_missing`, `muted` unless it empties them */
export const editChannelInfo = command(
  'editChannelInfo',
  function* (tx, by: Owner, channelId: string, info: ChannelInfo): Steps<MessageChannel> {
    const { row, members } = requireMember(
      yield* lockWholeChannel(tx, channelId, lockStorageUse(tx, by), anyMute(tx, by)),
      by,
      'edit-info',
    );
    if (info.name || info.chatPicture) yield* refuseMuted(tx, by, { channelId });
    return yield* changeChannel(tx, row, members, info);
  },
);

/**
 * Removes a wallet from a bounded batch of its channels. Returns those whose names and pictures it could edit until then,
 * and whether there may be more.
 */
export const leaveAllChannels = command('leaveAllChannels', function* (tx, wallet: string): Steps<{
  editable: string[];
  more: boolean;
}> {
  const found = yield* tx.list(participants.byWallet, [wallet], { limit: channelsPerSlice });
  // In the order of their ids, as every command that locks several channels does.
  const channelIds = found.map(({ channelId }) => channelId).sort();
  yield* tx.all(...channelIds.map((channelId) => lockChannel(tx, channelId)));
  const editable = yield* forEach(tx, channelIds, function* (channelId) {
    const channel = yield* lockWholeChannel(tx, channelId);
    const leaving = channel?.members.find((member) => member.wallet === wallet);
    if (!channel || !leaving) return [];
    yield* leave(tx, channel, leaving);
    return rowHasPermission(leaving, 'edit-info') ? [channelId] : [];
  });
  return { editable: editable.flat(), more: found.length === channelsPerSlice };
});

/**
 * Refreshes the channels of a wallet that has replaced a guest in their participant rows, and notifies their members.
 * Nothing else about the channels changes, nor their order in lists.
 */
export function* renameInChannels(tx: Tx, wallet: string): Steps<void> {
  for (let after: ParticipantRow | undefined; ; ) {
    const page: readonly ParticipantRow[] = yield* tx.list(participants.byWallet, [wallet], {
      limit: channelsPerSlice,
      ...(after && { after }),
    });
    yield* forEach(tx, page, function* ({ channelId }) {
      const channel = yield* lockWholeChannel(tx, channelId);
      if (channel) yield* changeChannel(tx, channel.row, channel.members, {}, channel.row.updatedAt);
    });
    after = page.at(-1);
    if (page.length < channelsPerSlice) break;
  }
}

/** Clears a wallet from a bounded batch of the rows that name it as the adder; true when there may be more. */
export const clearAdder = command('clearAdder', function* (tx, wallet: string): Steps<boolean> {
  const [added, declined] = yield* tx.all(
    tx.list(participants.byAdder, [wallet], { limit: addedPerSlice }),
    tx.list(declinedAdders.byAdder, [wallet], { limit: addedPerSlice }),
  );
  for (const row of added) tx.put(participants, { ...row, addedBy: '' });
  for (const row of declined) tx.remove(declinedAdders, row);
  return added.length === addedPerSlice || declined.length === addedPerSlice;
});

/**
 * Requires that a player may add these to a channel. Adding someone also revokes the player's own refusal to be added
 * by them.
 * @throws GantryError `player_blocked`; `adding_declined`, also when one of them blocks the player, who cannot tell the
 *   two apart
 */
function* requireAddingAllowed(
  tx: Tx,
  { gameId, wallet: adder }: Owner,
  wallets: readonly string[],
): Steps<void> {
  yield* refuseBlocked(tx, { gameId, wallet: adder }, wallets);
  const [blocking] = yield* blockersAmong(tx, { gameId, wallet: adder }, wallets);
  const declined = yield* tx.all(...wallets.map((wallet) => tx.get(declinedAdders, wallet, gameId, adder)));
  const refusing = blocking ?? declined.find((row) => row !== undefined)?.wallet;
  if (refusing !== undefined) {
    throw new GantryError(
      'adding_declined',
      `You can no longer add ${refusing} to channels, but they can create a channel with you`,
    );
  }
  const own = yield* tx.all(...wallets.map((wallet) => tx.get(declinedAdders, adder, gameId, wallet)));
  for (const row of own) if (row) tx.remove(declinedAdders, row);
}

/**
 * Locks the players in this game, in a fixed order and before any channel, as every command that locks several does.
 */
function* lockPlayers(tx: Tx, gameId: string, wallets: readonly string[]): Steps<void> {
  yield* tx.all(...wallets.toSorted().map((wallet) => lockPlayer(tx, { gameId, wallet })));
}

/** @throws GantryError `channel_limit_reached` */
function* requireRoomToStart(tx: Tx, { gameId, wallet }: Owner): Steps<void> {
  const started = yield* tx.count(participants.byAdder, [wallet, wallet, gameId], maxStartedChannels);
  if (started < maxStartedChannels) return;
  throw limitReached(
    `You have created ${maxStartedChannels} channels in this game, the most allowed; leave one of them first`,
  );
}

/** Requires that a player may add each of these to one more channel. @throws GantryError `channel_limit_reached` */
function* requireRoomFor(tx: Tx, { gameId, wallet: adder }: Owner, wallets: readonly string[]): Steps<void> {
  yield* forEach(tx, wallets, function* (wallet) {
    const [shared, joined] = yield* tx.all(
      tx.count(participants.byAdder, [adder, wallet, gameId], maxSharedChannels),
      tx.count(participants.byWallet, [wallet, gameId], maxJoinedChannels),
    );
    if (shared >= maxSharedChannels) {
      throw limitReached(
        `You have added ${wallet} to ${maxSharedChannels} channels in this game, the most allowed; they can create a channel with you`,
      );
    }
    if (joined >= maxJoinedChannels) {
      throw limitReached(
        `${wallet} is in ${maxJoinedChannels} channels in this game and cannot be added to more`,
      );
    }
  });
}

function limitReached(message: string): GantryError {
  return new GantryError('channel_limit_reached', message);
}

/** The oldest channel with exactly these participants, read under its lock. */
function* channelWithParticipants(tx: Tx, gameId: string, key: string): Steps<MessageChannel | undefined> {
  for (;;) {
    const [found] = yield* tx.list(messageChannels.byParticipants, [gameId, key], { limit: 1 });
    if (!found) return undefined;
    const channel = yield* lockWholeChannel(tx, found.id);
    // Someone may have joined or left it before it was locked: then search again.
    if (channel?.row.participantsKey === key) return toChannel(channel.row, channel.members);
  }
}

function newParticipant(
  { id, gameId }: MessageChannelRow,
  wallet: string,
  {
    permissions,
    position,
    joinedSeq,
    addedBy,
  }: { permissions: readonly string[]; position: number; joinedSeq: number; addedBy: string },
): ParticipantRow {
  return {
    channelId: id,
    wallet,
    gameId,
    userGroup: 0,
    permissions: JSON.stringify(permissions),
    position,
    joinedSeq,
    addedBy,
  };
}

function* leave(
  tx: Tx,
  { row, members, stream }: LockedChannel,
  leaving: ParticipantRow,
): Steps<MessageChannel> {
  tx.remove(participants, leaving);
  const marker = yield* tx.get(readMarkers, row.id, leaving.wallet);
  if (marker) tx.remove(readMarkers, marker);
  yield* recordStay(tx, leaving, stream);
  const remaining = ensureSuperAdmin(
    tx,
    members.filter((member) => member !== leaving),
  );
  return yield* changeChannel(tx, row, remaining);
}

/**
 * Events up to now were for the leaving participant; the next one, which announces the leaving, is not. If they come
 * back, their recorded stays determine which messages were sent in their absence and stay hidden from them.
 */
function* recordStay(
  tx: Tx,
  { wallet, channelId, joinedSeq }: ParticipantRow,
  stream: StreamRow,
): Steps<void> {
  const earlier = yield* tx.list(formerParticipants.byWallet, [wallet, channelId], {
    limit: maxEarlierStays,
  });
  // Bounded, however often someone comes and goes. The first stay still marks where the first absence began, so
  // messages sent during a removed stay count as sent during an absence.
  const [, second] = earlier.filter(isRecorded);
  if (earlier.length === maxEarlierStays && second) tx.remove(formerParticipants, second);
  tx.put(formerParticipants, { wallet, channelId, joinedSeq, leftSeq: stream.seq });
}

/** When the last super-admin has left, the longest-standing member takes over. */
function ensureSuperAdmin(tx: Tx, members: readonly ParticipantRow[]): readonly ParticipantRow[] {
  const [longest, ...rest] = members;
  if (!longest || members.some((member) => rowHasPermission(member, 'super-admin'))) return members;
  const promoted = { ...longest, permissions: JSON.stringify(creatorPermissions) };
  tx.put(participants, promoted);
  return [promoted, ...rest];
}

/** Writes the changed channel and notifies its current members. */
function* changeChannel(
  tx: Tx,
  before: MessageChannelRow,
  members: readonly ParticipantRow[],
  info: ChannelInfo = {},
  updatedAt = tx.now,
): Steps<MessageChannel> {
  const row: MessageChannelRow = {
    ...before,
    participantsKey: participantsKeyOf(members.map(({ wallet }) => wallet)),
    name: info.name ?? before.name,
    chatPicture: info.chatPicture ?? before.chatPicture,
    updatedAt,
  };
  tx.put(messageChannels, row);
  const channel = toChannel(row, members);
  tx.emit(streamOf.channel(row.id), messageChannelPatched, channel, yield* audienceOf(tx, row, members));
  return channel;
}
