import { z } from 'zod';
import { GantryError, invalidField } from '../../../core/errors.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { everyRole, moderators } from '../../../core/schemas/admin-role.ts';
import { addressInput, normalizedAddress, success } from '../../../core/schemas/fields.ts';
import { cursorFieldsOf, type Place, toListCursor } from '../../../core/schemas/list-cursor.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { type Cost, rowsCost } from '../../operation-cost.ts';
import type { RuleServices } from '../../rules/report-trigger.ts';
import {
  acceptFriend,
  addFriend as add,
  declineFriend,
  endFriendship,
  importFriend,
  removeFriend as remove,
  updateFriend as update,
} from '../commands.ts';
import {
  type FriendState,
  friend,
  friendNote,
  friendState,
  requestMessage,
  toFriendRecord,
  toOtherPlayer,
} from '../friend.ts';
import { friendCodeInput } from '../friend-code.ts';
import { friendsScope, isByPlayer, requireFriendsAccess, requireInScope } from '../friends-scope.ts';
import { friendRequestLimit } from '../limits.ts';
import { privacy } from '../privacy.ts';
import {
  countFriendships,
  findByFriendCode,
  type ListedFriend,
  listFriendships,
  privacyOf,
} from '../queries.ts';
import { announceFriend } from './announce-friend.ts';

const friendCursor = /^\d{1,15}\.0x[0-9a-f]{40}$/;
const other = z.object({ wallet: addressInput });

export const listFriends = defineOperation({
  name: 'listFriends',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's friends and friend requests, latest change first",
  auth: 'player-or-server',
  input: z.object({
    state: friendState.optional().meta({ description: 'Only these; default: all' }),
    limit: pagingOf().limit,
    cursor: cursorFieldsOf(friendCursor).cursor,
  }),
  cost: rowsCost(50),
  output: z.object({
    success,
    friends: z.array(friend),
    nextCursor: z.string().meta({ description: 'Where to continue reading' }),
    more: z.boolean().meta({ description: 'Whether there are more now' }),
  }),
  async handler(
    { input: { state, limit, cursor }, caller },
    { db, publicUrls }: { db: Store; publicUrls: PublicUrls },
  ) {
    const { game, wallet, session } = caller;
    const scope = await friendsScope(db, caller);
    const gameId = session === null ? game.id : (scope ?? undefined);
    const page = await friendsPage(db, wallet, { state, gameId, limit, cursor });
    const friends = page.friends.map((one) => toFriend(one, publicUrls));
    const shown = isByPlayer(session)
      ? friends
      : friends.map((one) => ({ ...one, favorite: false, note: '' }));
    return { success: true, ...page, friends: shown };
  },
});

/** The cursor before every row. */
const start = `${10 ** 15 - 1}.0x${'0'.repeat(40)}`;

/** A page of a player's list, after the `nextCursor` of the page before. */
async function friendsPage(
  db: Store,
  wallet: string,
  {
    limit,
    cursor,
    ...filter
  }: {
    limit: number;
    cursor?: Place | undefined;
    state?: FriendState | undefined;
    gameId?: string | undefined;
  },
): Promise<{ friends: ListedFriend[]; nextCursor: string; more: boolean }> {
  const behind = cursor?.behind ?? start;
  const [changedAt, last = ''] = behind.split('.');
  const rows = await db.read(listFriendships, wallet, {
    ...filter,
    limit: limit + 1,
    behind: { changedAt: Number(changedAt), wallet: last },
  });
  const friends = rows.slice(0, limit);
  const end = friends.at(-1)?.row;
  return {
    friends,
    nextCursor: toListCursor('newest', end ? `${end.changedAt}.${end.other}` : behind),
    more: rows.length > limit,
  };
}

function toFriend({ row, state, player }: ListedFriend, publicUrls: PublicUrls) {
  const { normalizedAddress: _, ...record } = toFriendRecord(row, state);
  return { ...record, ...toOtherPlayer(player, publicUrls) };
}

export const addFriend = defineOperation({
  name: 'addFriend',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: 'Send a friend request to a player, or accept the request that this player has sent',
  auth: 'player',
  perPlayer: friendRequestLimit,
  input: z.object({
    wallet: addressInput.optional().meta({ description: 'The player; or send `friendCode`' }),
    friendCode: friendCodeInput
      .optional()
      .meta({ description: "The player's friend code, in any case, with spaces or hyphens" }),
    message: requestMessage.default('').meta({ description: 'Shown to the player, at most 140 characters' }),
  }),
  output: z.object({
    success,
    wallet: normalizedAddress.meta({ description: 'The player' }),
    state: z.enum(['friend', 'sent']).meta({
      description:
        '`friend`: the player had sent a request, or was a friend already; `sent`: a request has been sent',
    }),
  }),
  async handler({ input: { wallet, friendCode, message }, caller }, services: RuleServices) {
    const { db } = services;
    const named = await requestedPlayer(db, { wallet, friendCode });
    if (named === caller.wallet) throw invalidField('wallet', 'must be the wallet of another player');
    if (friendCode === undefined) await requireInScope(db, caller, named);
    else await friendsScope(db, caller);
    const hasCode = friendCode !== undefined;
    const request = { wallet: named, hasCode, message, gameId: caller.game.id };
    const state = await db.write(add, caller.wallet, request);
    if (state === 'friend') await announceFriend(services, caller.game, [caller.wallet, named]);
    return { success: true, wallet: named, state };
  },
});

async function requestedPlayer(
  db: Store,
  { wallet, friendCode }: { wallet: string | undefined; friendCode: string | undefined },
): Promise<string> {
  if ((wallet === undefined) === (friendCode === undefined)) {
    throw invalidField('wallet', 'send either wallet or friendCode');
  }
  if (friendCode === undefined) return wallet ?? '';
  const found = await db.read(findByFriendCode, friendCode);
  if (found) return found;
  throw new GantryError('friend_code_unknown', 'No player has this friend code; it may have been replaced');
}

export const acceptFriendRequest = defineOperation({
  name: 'acceptFriendRequest',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: "Accept a player's friend request",
  auth: 'player',
  input: other,
  output: z.object({ success }),
  async handler({ input: { wallet }, caller }, services: RuleServices) {
    const { db } = services;
    await requireInScope(db, caller, wallet);
    await db.write(acceptFriend, caller.wallet, wallet);
    await announceFriend(services, caller.game, [caller.wallet, wallet]);
    return { success: true };
  },
});

export const declineFriendRequest = defineOperation({
  name: 'declineFriendRequest',
  service: 'launcher',
  kind: 'write',
  summary:
    "Decline a player's friend request without notifying the player; further ones are ignored for 30 days",
  auth: 'player',
  input: other,
  output: z.object({ success }),
  async handler({ input: { wallet }, caller }, { db }: { db: Store }) {
    await requireInScope(db, caller, wallet);
    await db.write(declineFriend, caller.wallet, wallet);
    return { success: true };
  },
});

export const removeFriend = defineOperation({
  name: 'removeFriend',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: 'End a friendship, or cancel a friend request that the player has sent',
  auth: 'player',
  input: other,
  output: z.object({ success }),
  async handler({ input: { wallet }, caller }, { db }: { db: Store }) {
    await requireInScope(db, caller, wallet);
    await db.write(remove, caller.wallet, wallet);
    return { success: true };
  },
});

export const updateFriend = defineOperation({
  name: 'updateFriend',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: 'Mark a friend as a favorite, or write a note about one',
  auth: 'player',
  input: z.object({
    wallet: addressInput,
    favorite: z.boolean().optional().meta({ description: 'Unchanged when omitted' }),
    note: friendNote.optional().meta({ description: 'Only the player reads it; unchanged when omitted' }),
  }),
  output: z.object({ success, favorite: z.boolean(), note: z.string() }),
  async handler({ input: { wallet, ...changes }, caller }, { db }: { db: Store }) {
    await requireInScope(db, caller, wallet);
    const { favorite, note } = await db.write(update, caller.wallet, wallet, changes);
    return { success: true, favorite: favorite === 1, note };
  },
});

const importCost: Cost<{ players: readonly unknown[] }> = {
  text: 'one write for every 10 `players`',
  of: ({ players }) => players.length / 10,
};

export const importFriends = defineOperation({
  name: 'importFriends',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary:
    "Import a player's friendships from another platform, with players that the game's server vouches for; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    players: z.array(addressInput).min(1).max(1_000).meta({ description: 'At most 1,000 wallets' }),
  }),
  cost: importCost,
  output: z.object({
    success,
    imported: z.int().meta({ description: 'How many of them are friends now' }),
    refused: z.array(
      z.object({
        wallet: normalizedAddress,
        reason: z.enum(['not_vouched', 'friend_limit_reached', 'requests_not_accepted']).meta({
          description:
            '`requests_not_accepted`: by the privacy of either player, or one has ended the friendship here; `not_vouched`: not a player that this game vouches for',
        }),
      }),
    ),
  }),
  async handler({ input: { wallet, players }, caller: { game } }, { db }: { db: Store }) {
    requireFriendsAccess(game);
    const refused = [];
    let imported = 0;
    for (const one of new Set(players)) {
      if (one === wallet) continue;
      const reason = await db.write(importFriend, game.id, wallet, one);
      if (reason) refused.push({ wallet: one, reason });
      else imported++;
    }
    return { success: true, imported, refused };
  },
});

const counts = z.object({ friend: z.int(), sent: z.int(), received: z.int() });

export const listPlayerFriends = defineAdminOperation({
  name: 'listPlayerFriends',
  kind: 'read',
  summary: "List a player's friends and friend requests, with the player's privacy",
  roles: everyRole,
  input: z.object({
    wallet: addressInput,
    limit: pagingOf().limit,
    cursor: cursorFieldsOf(friendCursor).cursor,
  }),
  output: z.object({
    success,
    counts,
    privacy,
    friends: z.array(friend.omit({ note: true, message: true })),
    nextCursor: z.string(),
    more: z.boolean(),
  }),
  async handler(
    { input: { wallet, limit, cursor } },
    { db, publicUrls }: { db: Store; publicUrls: PublicUrls },
  ) {
    const page = await friendsPage(db, wallet, { limit, cursor });
    return {
      success: true,
      counts: await db.read(countFriendships, wallet),
      privacy: await db.read(privacyOf, wallet),
      ...page,
      friends: page.friends.map((one) => {
        const { note, message, ...shown } = toFriend(one, publicUrls);
        return shown;
      }),
    };
  },
});

export const removePlayerFriend = defineAdminOperation({
  name: 'removePlayerFriend',
  kind: 'write',
  summary: 'End a friendship or a friend request between two players',
  roles: moderators,
  input: z.object({ wallet: addressInput, friend: addressInput }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(endFriendship, input.wallet, input.friend);
    return { success: true };
  },
});
