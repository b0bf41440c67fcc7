import { z } from 'zod';
import type { VisiblePlayer } from '../../../cluster/players/player-part.ts';
import { GantryError } from '../../../core/errors.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput, id, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { findGame } from '../../games/queries.ts';
import { gameInput, refuseArchived, requireNamedGame } from '../../games/require-game.ts';
import { blocksInGame } from '../../messages/blocks/queries.ts';
import { refuseMutedInGame } from '../../messages/mutes/queries.ts';
import { defineOperation, ownerOf, type SessionCaller } from '../../operation.ts';
import { fixedCost } from '../../operation-cost.ts';
import { notAFriend } from '../commands.ts';
import { friendsScope } from '../friends-scope.ts';
import {
  friendPresence,
  joinTargetOf,
  type OwnPresence,
  ownStatus,
  type PresenceConnection,
  richPresenceInput,
  statusInput,
} from '../presence.ts';
import { friendsWhoBlock, friendWallets, playersWhoOpened } from '../queries.ts';

interface Connected {
  connection?: PresenceConnection | undefined;
}

/** @throws GantryError `socket_required` unless the call came over a socket that was opened with the caller's token */
function requireOwnPresence({ connection }: Connected, { session }: SessionCaller): OwnPresence {
  const own = connection?.presenceOf(session.id);
  if (own) return own;
  throw new GantryError(
    'socket_required',
    "This operation requires a socket that was connected with the session's token",
  );
}

/** @throws GantryError `not_a_launcher` */
function requireLauncher({ game }: SessionCaller): void {
  if (game.kind === 'launcher') return;
  throw new GantryError('not_a_launcher', "Only a launcher's session can say this about the player");
}

/** Those of a player's friends whom a session may see before they open its game; null: all. */
async function visibleFriends(db: Store, scope: string | null, friends: readonly string[]) {
  return scope === null ? null : new Set(await db.read(playersWhoOpened, scope, friends));
}

export const setStatus = defineOperation({
  name: 'setStatus',
  service: 'realtime-events',
  kind: 'write',
  goesOnInMaintenance: true,
  isRepeatable: true,
  summary: "Set the player's status, shown to friends; requires a launcher's socket",
  auth: 'player',
  input: statusInput,
  output: z.object({ success }),
  async handler({ input, caller }, services: Connected & { db: Store }) {
    requireLauncher(caller);
    const own = requireOwnPresence(services, caller);
    if (input.text !== '') await refuseMutedInGame(services.db, ownerOf(caller), 'text');
    await own.setStatus(input);
    return { success: true };
  },
});

export const setCurrentGame = defineOperation({
  name: 'setCurrentGame',
  service: 'realtime-events',
  kind: 'write',
  goesOnInMaintenance: true,
  isRepeatable: true,
  summary: "Set the game that the player has open in the launcher; requires a launcher's socket",
  auth: 'player',
  input: z.object({ gameId: gameInput.nullable().meta({ description: 'Id or slug; null: none' }) }),
  output: z.object({ success }),
  async handler({ input, caller }, services: Connected & { db: Store }) {
    requireLauncher(caller);
    const own = requireOwnPresence(services, caller);
    const game = input.gameId === null ? null : await requireNamedGame(services.db, input.gameId);
    if (game) refuseArchived(game);
    own.setCurrentGame(game && { id: game.id, name: game.name });
    return { success: true };
  },
});

export const setRichPresence = defineOperation({
  name: 'setRichPresence',
  service: 'realtime-events',
  kind: 'write',
  goesOnInMaintenance: true,
  isRepeatable: true,
  summary: "Set the player's rich presence in this game, shown to friends until the socket is closed",
  auth: 'player',
  input: richPresenceInput,
  output: z.object({ success }),
  async handler({ input, caller }, services: Connected & { db: Store }) {
    if (caller.game.kind === 'launcher') {
      throw new GantryError('input_invalid', "Only a game's session can call it; launchers: setCurrentGame");
    }
    const own = requireOwnPresence(services, caller);
    if (input.details !== '') await refuseMutedInGame(services.db, ownerOf(caller), 'details');
    const { details, values, group, connect } = input;
    const isEmpty = `${details}${connect}` === '' && !group && Object.keys(values).length === 0;
    own.setRichPresence(isEmpty ? null : input);
    return { success: true };
  },
});

export const followPresence = defineOperation({
  name: 'followPresence',
  service: 'realtime-events',
  kind: 'read',
  summary:
    'Follow the presence of friends: list those who are online, and push every change to this connection',
  auth: 'player',
  input: z.object({}),
  cost: fixedCost('read', 10),
  output: z.object({
    success,
    friends: z.array(friendPresence).meta({
      description: 'Friends who are not offline; `friend-presence patched` updates them',
    }),
    own: z.exactOptional(ownStatus).meta({
      description: "For launchers: the player's own status, chosen on any device; the same event updates it",
    }),
  }),
  async handler({ caller }, services: Connected & { db: Store }) {
    const { wallet } = caller;
    const scope = await friendsScope(services.db, caller);
    const own = requireOwnPresence(services, caller);
    const followed = await own.follow(async () => {
      const { db } = services;
      const friends = await db.read(friendWallets, wallet);
      const visible = await visibleFriends(db, scope, friends);
      return { friends, visible, blocking: await db.read(friendsWhoBlock, wallet) };
    });
    return { success: true, ...followed };
  },
});

export const unfollowPresence = defineOperation({
  name: 'unfollowPresence',
  service: 'realtime-events',
  kind: 'read',
  summary: 'Stop pushing the presence of friends to this connection',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success }),
  async handler({ caller }, services: Connected) {
    requireOwnPresence(services, caller).unfollow();
    return { success: true };
  },
});

/** The players who are connected to any node. */
interface Players {
  /** What friends may see of a player; null: offline. */
  visible(wallet: string): VisiblePlayer | null;
}

export const joinFriend = defineOperation({
  name: 'joinFriend',
  service: 'launcher',
  kind: 'read',
  summary: 'Get what is needed to join a friend in the game that the friend has open',
  auth: 'player',
  input: z.object({ wallet: addressInput }),
  output: z.object({
    success,
    launch: z.object({
      gameId: id,
      url: z.string().meta({ description: 'Where the game is played; empty when it has no page' }),
    }),
    connect: z.string().meta({ description: "What the friend's game has set for joining the friend" }),
  }),
  async handler(
    { input: { wallet }, caller },
    services: { db: Store; players: Players; publicUrls: PublicUrls },
  ) {
    const { db, players, publicUrls } = services;
    const scope = await friendsScope(db, caller);
    if (!(await db.read(friendWallets, caller.wallet)).includes(wallet)) throw notAFriend();
    const target = joinTargetOf(players.visible(wallet));
    const visible = await visibleFriends(db, scope, [wallet]);
    if (visible?.has(wallet) === false && target?.gameId !== caller.game.id) throw notAFriend();
    const game = target && (await db.read(findGame, target.gameId));
    // Who is blocked in the friend's game is not told so.
    const isBlocked = game && (await db.read(blocksInGame, { gameId: game.id, wallet }, caller.wallet));
    if (!game || game.listing === 'archived' || isBlocked) {
      throw new GantryError('not_joinable', 'This friend cannot be joined now');
    }
    return {
      success: true,
      launch: { gameId: game.id, url: publicUrls.absolute(game.url) },
      connect: target.connect,
    };
  },
});
