import { GantryError } from '../../core/errors.ts';
import type { EventType } from '../../core/events/event.ts';
import { type Audience, streamOf } from '../../core/events/stream.ts';
import { lockAccount } from '../../core/events/stream-locks.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import type { Blocker } from '../messages/blocks/block.ts';
import { block, blocksHere } from '../messages/blocks/commands.ts';
import { requireGuests } from '../players/guests.ts';
import { guests, players } from '../players/tables.ts';
import { accountAudience, privacyIn } from './account.ts';
import { friendCreated, friendPatched, friendRemoved } from './events.ts';
import {
  declinedMs,
  type FriendState,
  formerMs,
  maxFriends,
  maxReceived,
  maxSent,
  never,
  requestLifetimeMs,
  stateOf,
  toFriendRecord,
} from './friend.ts';
import { endInvitesBetween, removeInvitesTo } from './invite-commands.ts';
import { type FriendshipRow, friendships } from './tables.ts';

/** Rows that one of the clean-up commands changes. */
const rowsPerSlice = 200;

/** A request to be friends, as it was made. */
export interface FriendRequest {
  wallet: string;
  /** Whether the sender has the player's friend code. */
  hasCode: boolean;
  message: string;
  /** The game of the sender's session, where blocks count too. */
  gameId: string;
}

/** The rows of two players about each other, after locking both lists; those that have expired are left out. */
interface Pair {
  mine: FriendshipRow | undefined;
  theirs: FriendshipRow | undefined;
  /** How the other stands to the first player. */
  state: FriendState | undefined;
}

/**
 * Asks another player to be friends; a request from the other side becomes a friendship. Idempotent. Who has declined
 * or blocked the sender gets nothing, and the sender's answer is the same as otherwise.
 * @throws GantryError `player_unknown`, `requests_not_accepted`, `friend_limit_reached`, `player_blocked`; for guests
 *   `guest_upgraded`
 */
export const addFriend = command(
  'addFriend',
  function* (
    tx,
    wallet: string,
    { wallet: other, hasCode, message, gameId }: FriendRequest,
  ): Steps<'friend' | 'sent'> {
    const { mine, theirs, state } = yield* lockPair(tx, wallet, other);
    if (state === 'friend') return state;
    if (yield* blocksHere(tx, { gameId, wallet }, other)) {
      throw new GantryError('player_blocked', `You have blocked ${other}; unblock this player first`);
    }
    if (theirs?.state === 'sent') {
      yield* befriend(tx, wallet, other, { mine, theirs });
      return 'friend';
    }
    // What the sender can observe is decided before whether the other player receives it: neither tells a block.
    const isOpen = yield* isOpenToRequests(tx, other, hasCode);
    let request = state === 'sent' ? mine : undefined;
    if (!request) {
      if (isOpen !== true) throw isOpen;
      yield* requireRoomForRequest(tx, wallet);
      request = {
        ...{ wallet, other, state: 'sent', favorite: 0, note: '', message },
        ...{ changedAt: tx.now, expiresAt: tx.now + requestLifetimeMs },
      };
      yield* put(tx, mine, request);
    }
    const isBlocked = yield* blocksHere(tx, { gameId, wallet: other }, wallet);
    const isIgnored = isBlocked || theirs?.state === 'declined';
    // Needed only for an event that may not come; nor must the number of lookups tell a block.
    const audience = yield* accountAudience(tx, other, wallet);
    if (isOpen === true && !isIgnored && theirs?.state !== 'received') {
      yield* put(tx, theirs, { ...request, wallet: other, other: wallet, state: 'received' }, audience);
    }
    return 'sent';
  },
);

/**
 * Accepts a request. Idempotent.
 * @throws GantryError `friend_request_unknown`, `friend_limit_reached`; for guests `guest_upgraded`
 */
export const acceptFriend = command(
  'acceptFriend',
  function* (tx, wallet: string, other: string): Steps<void> {
    const { mine, theirs, state } = yield* lockPair(tx, wallet, other);
    if (state === 'friend') return;
    if (state !== 'received' || theirs?.state !== 'sent') throw requestUnknown();
    yield* befriend(tx, wallet, other, { mine, theirs });
  },
);

/**
 * Declines a request silently: the sender is not told, and further requests are ignored for 30 days.
 * @throws GantryError `friend_request_unknown`
 */
export const declineFriend = command(
  'declineFriend',
  function* (tx, wallet: string, other: string): Steps<void> {
    const { mine, state } = yield* lockPair(tx, wallet, other);
    if (!mine || state !== 'received') throw requestUnknown();
    yield* end(tx, mine, 'declined');
  },
);

/**
 * Ends a friendship, or cancels a request that the player has sent. Idempotent for players who are neither.
 * @throws GantryError `friend_request_unknown` for a request to the player, which is declined instead
 */
export const removeFriend = command(
  'removeFriend',
  function* (tx, wallet: string, other: string): Steps<void> {
    const { mine, theirs, state } = yield* lockPair(tx, wallet, other);
    if (state === 'received') {
      throw new GantryError('friend_request_unknown', 'This player has sent you a request: decline it');
    }
    // Who has declined or blocked the sender of a request has nothing to end, and the sender must not notice.
    if (state) yield* endBoth(tx, mine, theirs);
    yield* endInvitesBetween(tx, wallet, other);
  },
);

/** Ends a friendship or a request between two players, for a moderator. @throws GantryError `not_a_friend` */
export const endFriendship = command(
  'endFriendship',
  function* (tx, wallet: string, other: string): Steps<void> {
    const { mine, theirs } = yield* lockPair(tx, wallet, other);
    if (!stateOf(mine, tx.now) && !stateOf(theirs, tx.now)) {
      throw new GantryError('not_a_friend', 'These players are not friends, and neither has asked the other');
    }
    yield* endBoth(tx, mine, theirs);
    yield* endInvitesBetween(tx, wallet, other);
  },
);

/** What a player keeps about a friend; omitted fields are kept. */
export interface FriendChanges {
  favorite?: boolean | undefined;
  note?: string | undefined;
}

/** @throws GantryError `not_a_friend` */
export const updateFriend = command(
  'updateFriend',
  function* (tx, wallet: string, other: string, { favorite, note }: FriendChanges): Steps<FriendshipRow> {
    const [, row] = yield* tx.all(lockAccount(tx, wallet), tx.get(friendships, wallet, other));
    if (row?.state !== 'friend') throw notAFriend();
    const changed = {
      ...row,
      favorite: favorite === undefined ? row.favorite : Number(favorite),
      note: note ?? row.note,
    };
    if (changed.favorite === row.favorite && changed.note === row.note) return row;
    tx.put(friendships, changed);
    yield* emit(tx, friendPatched, changed, 'friend');
    return changed;
  },
);

/** Why two players were not made friends. */
export type ImportRefusal = 'not_vouched' | 'friend_limit_reached' | 'requests_not_accepted';

/**
 * Makes two players friends whom the game's server vouches for, because they are friends elsewhere; null when they are
 * friends now.
 */
export const importFriend = command(
  'importFriend',
  function* (tx, gameId: string, wallet: string, other: string): Steps<ImportRefusal | null> {
    const vouched = yield* tx.all(tx.get(guests, wallet), tx.get(guests, other));
    if (vouched.some((guest) => guest?.vouchedBy !== gameId || guest.wallet !== guest.address))
      return 'not_vouched';
    return yield* makeFriends(tx, gameId, wallet, other);
  },
);

/**
 * Makes two players friends who are friends elsewhere, unless one wants no requests, blocks the other, or has ended or
 * declined that here; null when they are friends now.
 * @throws GantryError `player_unknown`; for guests `guest_upgraded`
 */
export function* makeFriends(
  tx: Tx,
  gameId: string,
  wallet: string,
  other: string,
): Steps<Exclude<ImportRefusal, 'not_vouched'> | null> {
  const { mine, theirs, state } = yield* lockPair(tx, wallet, other);
  if (state === 'friend') return null;
  if ([mine, theirs].some((row) => row?.state === 'removed' || row?.state === 'declined'))
    return 'requests_not_accepted';
  for (const [one, two] of [
    [wallet, other],
    [other, wallet],
  ] as const) {
    if ((yield* countsOf(tx, one)).friend >= maxFriends) return 'friend_limit_reached';
    const isClosed = (yield* privacyIn(tx, one)).requests === 'nobody';
    // Nothing tells a block from it.
    if (isClosed || (yield* blocksHere(tx, { gameId, wallet: one }, two))) return 'requests_not_accepted';
  }
  yield* befriend(tx, wallet, other, { mine, theirs });
  return null;
}

/**
 * Blocks a player in every game, and ends whatever is between the two: to the blocked player, a request of theirs seems
 * to stay.
 * @throws GantryError as `block`
 */
export const blockEverywhere = command(
  'blockEverywhere',
  function* (tx, blocker: Blocker, blocked: string): Steps<void> {
    yield* block(tx, blocker, blocked);
    const { wallet } = blocker;
    const { mine, theirs } = yield* lockPair(tx, wallet, blocked);
    if (mine) yield* end(tx, mine, mine.state === 'friend' ? 'removed' : 'former');
    if (theirs && theirs.state !== 'sent') yield* end(tx, theirs, 'former');
    yield* endInvitesBetween(tx, wallet, blocked);
  },
);

/** Removes a bounded batch of what others have of an erased player; true when there may be more. */
export const removeFriendsOf = command('removeFriendsOf', function* (tx, wallet: string): Steps<boolean> {
  const rows = yield* tx.list(friendships.byOther, [wallet], { limit: rowsPerSlice });
  yield* forEach(tx, rows, function* ({ wallet: other }): Steps<void> {
    const [, row] = yield* tx.all(lockAccount(tx, other), tx.get(friendships, other, wallet));
    if (!row) return;
    const state = stateOf(row, tx.now);
    if (state) yield* emit(tx, friendRemoved, row, state);
    tx.remove(friendships, row);
  });
  const hasMore = yield* removeInvitesTo(tx, wallet);
  tx.scrub();
  return hasMore || rows.length === rowsPerSlice;
});

/** Deletes a bounded batch of rows that have expired; true when there may be more. */
export const trimFriendships = command('trimFriendships', function* (tx): Steps<boolean> {
  const rows = yield* tx.list(friendships.byExpiry, [], { limit: rowsPerSlice });
  const due = rows.filter(({ expiresAt }) => expiresAt <= tx.now);
  yield* forEach(tx, due, function* ({ wallet, other }): Steps<void> {
    const [, row] = yield* tx.all(lockAccount(tx, wallet), tx.get(friendships, wallet, other));
    if (row && row.expiresAt <= tx.now) tx.remove(friendships, row);
  });
  return due.length === rowsPerSlice;
});

/** Tells a guest's friends that it has a wallet now: its rows have been moved already. */
export function* announceUpgrade(tx: Tx, guest: string, wallet: string): Steps<void> {
  const rows = yield* tx.list(friendships.byOther, [wallet], { limit: maxFriends + maxSent + maxReceived });
  for (const row of rows) {
    const state = stateOf(row, tx.now);
    if (!state) continue;
    yield* lockAccount(tx, row.wallet);
    // The guest is in no game any more, and who may know of it is who may know of the wallet.
    const audience = yield* accountAudience(tx, row.wallet, wallet);
    const stream = streamOf.account(row.wallet);
    tx.emit(stream, friendRemoved, toFriendRecord({ ...row, other: guest }, state), audience);
    tx.emit(stream, friendCreated, toFriendRecord(row, state), audience);
  }
}

export function notAFriend(): GantryError {
  return new GantryError('not_a_friend', 'This player is not a friend of yours');
}

/**
 * Locks both lists, in the order of the wallets, so that pairs that cross wait for each other and never deadlock.
 * @throws GantryError `player_unknown`; for guests `guest_upgraded`
 */
function* lockPair(tx: Tx, wallet: string, other: string): Steps<Pair> {
  yield* requireGuests(tx, [wallet, other]);
  const [first = '', second = ''] = [wallet, other].toSorted();
  const [, , player, mine, theirs] = yield* tx.all(
    lockAccount(tx, first),
    lockAccount(tx, second),
    tx.get(players, other),
    tx.get(friendships, wallet, other),
    tx.get(friendships, other, wallet),
  );
  if (!player) throw new GantryError('player_unknown', 'There is no player with this wallet');
  const current = (row: FriendshipRow | undefined) => (row && row.expiresAt > tx.now ? row : undefined);
  return { mine: current(mine), theirs: current(theirs), state: stateOf(mine, tx.now) };
}

function* befriend(
  tx: Tx,
  wallet: string,
  other: string,
  { mine, theirs }: Pick<Pair, 'mine' | 'theirs'>,
): Steps<void> {
  for (const [one, owner] of [
    [wallet, 'You'],
    [other, 'This player'],
  ] as const) {
    if ((yield* countsOf(tx, one)).friend < maxFriends) continue;
    throw limitReached(
      `${owner} ${owner === 'You' ? 'have' : 'has'} ${maxFriends} friends, the most there can be`,
    );
  }
  const row = { state: 'friend', favorite: 0, note: '', message: '', changedAt: tx.now, expiresAt: never };
  yield* put(tx, mine, { ...row, wallet, other });
  yield* put(tx, theirs, { ...row, wallet: other, other: wallet });
}

/** Whether a player accepts requests, and has room for one; otherwise the error that says why not. */
function* isOpenToRequests(tx: Tx, other: string, hasCode: boolean): Steps<true | GantryError> {
  const { requests } = yield* privacyIn(tx, other);
  if (requests === 'nobody') {
    return new GantryError('requests_not_accepted', 'This player accepts no friend requests');
  }
  if (requests === 'code' && !hasCode) {
    return new GantryError(
      'requests_not_accepted',
      "This player accepts requests only from who has the player's friend code: send friendCode instead of the wallet",
    );
  }
  const received = yield* tx.count(friendships.byState, [other, 'received'], maxReceived);
  if (received < maxReceived) return true;
  return limitReached(`${maxReceived} requests wait for this player already`);
}

/** @throws GantryError `friend_limit_reached` */
function* requireRoomForRequest(tx: Tx, wallet: string): Steps<void> {
  const { friend, sent } = yield* countsOf(tx, wallet);
  if (friend >= maxFriends) throw limitReached(`You have ${maxFriends} friends, the most there can be`);
  if (sent >= maxSent) throw limitReached(`You have ${maxSent} open requests; cancel one of them first`);
}

function* countsOf(tx: Tx, wallet: string): Steps<{ friend: number; sent: number }> {
  const [friend, sent] = yield* tx.all(
    tx.count(friendships.byState, [wallet, 'friend'], maxFriends),
    tx.count(friendships.byState, [wallet, 'sent'], maxSent),
  );
  return { friend, sent };
}

/** Writes a row of a list, and its event: `created` for who was not in the list. */
function* put(
  tx: Tx,
  before: FriendshipRow | undefined,
  row: FriendshipRow,
  audience?: Audience,
): Steps<void> {
  tx.put(friendships, row);
  const state = stateOf(row, tx.now);
  if (state) yield* emit(tx, stateOf(before, tx.now) ? friendPatched : friendCreated, row, state, audience);
}

function* endBoth(tx: Tx, mine: FriendshipRow | undefined, theirs: FriendshipRow | undefined): Steps<void> {
  if (mine) yield* end(tx, mine, mine.state === 'friend' ? 'removed' : 'former');
  // Of who has declined a request, the other's further requests are still ignored.
  if (theirs && theirs.state !== 'declined') yield* end(tx, theirs, 'former');
}

/** Ends what a row says; it stays as `state` until it expires. */
function* end(tx: Tx, row: FriendshipRow, state: 'declined' | 'former' | 'removed'): Steps<void> {
  const was = stateOf(row, tx.now);
  if (!was) return;
  const expiresAt = state === 'removed' ? never : tx.now + (state === 'declined' ? declinedMs : formerMs);
  tx.put(friendships, { ...row, state, favorite: 0, note: '', message: '', changedAt: tx.now, expiresAt });
  yield* emit(tx, friendRemoved, { ...row, changedAt: tx.now }, was);
}

function* emit(
  tx: Tx,
  type: EventType<string, typeof friendCreated.record>,
  row: FriendshipRow,
  state: FriendState,
  audience?: Audience,
): Steps<void> {
  const heardBy = audience ?? (yield* accountAudience(tx, row.wallet, row.other));
  tx.emit(streamOf.account(row.wallet), type, toFriendRecord(row, state), heardBy);
}

function limitReached(message: string): GantryError {
  return new GantryError('friend_limit_reached', message);
}

function requestUnknown(): GantryError {
  return new GantryError(
    'friend_request_unknown',
    'This player has not sent you a friend request, or has cancelled it',
  );
}
