import type { Store } from '../../src/core/storage/store.ts';
import {
  acceptFriend,
  addFriend,
  blockEverywhere,
  declineFriend,
  importFriend,
  removeFriend,
  trimFriendships,
  updateFriend,
} from '../../src/features/friends/commands.ts';
import {
  answerInvite,
  cancelInvite,
  sendInvites,
  trimInvites,
} from '../../src/features/friends/invite-commands.ts';
import { setPrivacy } from '../../src/features/friends/privacy-commands.ts';
import {
  areInGame,
  countFriendships,
  friendsWhoBlock,
  friendWallets,
  listFriendships,
  openInvites,
  playersWhoOpened,
  privacyOf,
  searchByName,
  visiblePlayers,
} from '../../src/features/friends/queries.ts';
import { setFavorite } from '../../src/features/games/library-commands.ts';
import { listFavorites } from '../../src/features/games/library-queries.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import type { Drawn } from './random-feature-writes.ts';
import type { Weighted } from './random-writes.ts';

const first = { changedAt: 1e15, wallet: '' };
const states = ['friend', 'sent', 'received'] as const;

/** Friends, invites, privacy and favorites, of players and guests in whatever relation they are. */
export function friendWrites({ owner, wallet: other, number }: Drawn): Weighted[] {
  const { gameId, wallet } = owner;
  if (other === wallet) return []; // as operations refuse it
  const scope = number % 2 ? gameId : null;
  const request = { wallet: other, hasCode: number % 3 === 0, message: `hello ${number} \u0000`, gameId };
  const invite = { gameId, connect: `room ${number}`, message: '' };
  const changes = {
    requests: number % 9 ? ('everyone' as const) : ('nobody' as const),
    searchable: number % 5 > 0,
    showGame: number % 4 > 0,
  };
  const withInvite = (of: (db: Store, inviteId: string) => Promise<unknown>) => async (db: Store) => {
    const [invited] = await db.read(openInvites, wallet);
    return of(db, invited?.id ?? 'none');
  };
  const filter = { state: states[number % 4], gameId: scope ?? undefined, limit: 5, behind: first };
  return [
    [6, 'addFriend', (db) => db.write(addFriend, wallet, request)],
    [4, 'acceptFriend', (db) => db.write(acceptFriend, wallet, other)],
    [1, 'declineFriend', (db) => db.write(declineFriend, wallet, other)],
    [1, 'removeFriend', (db) => db.write(removeFriend, wallet, other)],
    [
      2,
      'updateFriend',
      (db) => db.write(updateFriend, wallet, other, { note: `n ${number}`, favorite: scope === null }),
    ],
    [0.5, 'importFriend', (db) => db.write(importFriend, gameId, wallet, other)],
    [0.5, 'blockEverywhere', (db) => db.write(blockEverywhere, { ...owner, everywhere: true }, other)],
    [3, 'sendInvites', (db) => db.write(sendInvites, wallet, [other], invite)],
    [
      1,
      'answerInvite',
      withInvite((db, id) => db.write(answerInvite, { wallet, gameId: scope }, id, number % 2 > 0)),
    ],
    [1, 'cancelInvite', withInvite((db, id) => db.write(cancelInvite, { wallet, gameId: scope }, id))],
    [0.3, 'trimInvites', (db) => db.write(trimInvites)],
    [0.3, 'trimFriendships', (db) => db.write(trimFriendships)],
    [2, 'setPrivacy', (db) => db.write(setPrivacy, wallet, changes)],
    [2, 'setFavorite', (db) => db.write(setFavorite, owner, number % 3 > 0)],
    [1, 'openByServer', (db) => db.write(startSession, owner, 60_000 + number, 'game-server')],
    [2, 'listFriendships', (db) => db.read(listFriendships, wallet, filter)],
    [1, 'countFriendships', (db) => db.read(countFriendships, wallet)],
    [1, 'friendWallets', async (db) => [...(await db.read(friendWallets, wallet))].sort()],
    [1, 'friendsWhoBlock', (db) => db.read(friendsWhoBlock, wallet)],
    [1, 'areInGame', async (db) => [...(await db.read(areInGame, gameId, [wallet, other]))].sort()],
    [
      1,
      'playersWhoOpened',
      async (db) => [...(await db.read(playersWhoOpened, gameId, [wallet, other]))].sort(),
    ],
    [1, 'openInvites', (db) => db.read(openInvites, wallet)],
    [1, 'privacyOf', (db) => db.read(privacyOf, wallet)],
    [1, 'visiblePlayers', (db) => db.read(visiblePlayers, wallet, scope, [other])],
    [1, 'searchByName', (db) => db.read(searchByName, { text: 'name', wallet, gameId: scope, limit: 5 })],
    [1, 'listFavorites', (db) => db.read(listFavorites, wallet)],
  ];
}
