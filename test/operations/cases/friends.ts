import { expect } from 'vitest';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import { acceptFriend, addFriend } from '../../../src/features/friends/commands.ts';
import { sendInvites } from '../../../src/features/friends/invite-commands.ts';
import { vouchForPlayer } from '../../../src/features/guests/commands.ts';
import type { Role, World } from '../../support/world.ts';
import {
  type AccessByRole,
  launchersOnly,
  ownThings,
  ownThingsOfPlayers,
  refused,
  serversOnly,
} from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const forbidden = refused(403, 'friends_forbidden');

/** Who is in the owner's game is not in the other one. */
const ofOneGame: AccessByRole = { ...ownThingsOfPlayers, elsewhere: refused(400, 'player_unknown') };

/** The games' policy `friends` is `in-game`. */
const wholeAccount = launchersOnly(forbidden);

/** For everyone but the owner, in the game or a launcher. */
function ownersOnly(others: AccessByRole['stranger'], elsewhere = others): AccessByRole {
  return {
    ...ownThingsOfPlayers,
    participant: others,
    stranger: others,
    guest: others,
    elsewhere,
    strangersLauncher: others,
  };
}

/** `wallet` asks `other` to be friends. */
async function ask({ server, gameId }: World, wallet: string, other: string): Promise<void> {
  const request = { wallet: other, hasCode: false, message: 'Hello', gameId };
  await server.services.db.write(addFriend, wallet, request);
}

async function befriend(world: World, wallet: string, other: string): Promise<void> {
  await ask(world, wallet, other);
  await world.server.services.db.write(acceptFriend, other, wallet);
}

/** A guest that the owner's game vouches for. */
async function vouched({ server, gameId }: World): Promise<string> {
  const { db } = server.services;
  const player = { gameId, playerKey: `${Math.random()}` };
  const { details } = await db.write(
    vouchForPlayer,
    player,
    { address: newGuestAddress(), idleMs: 1e9 },
    1e6,
  );
  return details.session.wallet;
}

/** An invite by the owner, or by the participant to the owner. */
async function invite(world: World, { byOwner }: { byOwner: boolean }): Promise<string> {
  const { server, gameId, owner, participant } = world;
  await befriend(world, owner.wallet, participant.wallet);
  const [from, to] = byOwner ? [owner, participant] : [participant, owner];
  const what = { gameId, connect: 'room 1', message: 'Come' };
  const { invites } = await server.services.db.write(sendInvites, from.wallet, [to.wallet], what);
  return invites[0]?.inviteId ?? '';
}

const participant = {
  wallet: '<participant>',
  userId: '<id>',
  username: '<short participant>',
  avatar: '<url>/avatars/<participant>.svg',
  isGuest: false,
};
const invited = {
  inviteId: '<id>',
  from: '<owner>',
  wallet: '<participant>',
  gameId: '<game>',
  message: 'Come',
  createdAt: '<time>',
  expiresAt: '<time>',
};
const privacy = {
  requests: 'everyone',
  presence: 'friends',
  showGame: true,
  invites: 'friends',
  searchable: true,
  showPlaytime: true,
} as const;

export const friendCases = {
  listFriends: {
    async input(world: World) {
      await befriend(world, world.owner.wallet, world.participant.wallet);
      return { state: 'friend', limit: 10 };
    },
    answer: {
      success: true,
      friends: [
        { ...participant, state: 'friend', favorite: false, note: '', message: '', changedAt: '<time>' },
      ],
      nextCursor: expect.any(String),
      more: false,
    },
    access: ownThings,
  },
  addFriend: {
    input: ({ banned }) => ({ wallet: banned.wallet, message: 'Hello' }),
    answer: { success: true, wallet: '<banned>', state: 'sent' },
    access: ofOneGame,
  },
  acceptFriendRequest: {
    async input(world: World, by: Role) {
      if (by === 'owner' || by === 'launcher') await ask(world, world.banned.wallet, world.owner.wallet);
      return { wallet: world.banned.wallet };
    },
    answer: { success: true },
    access: ownersOnly(refused(400, 'friend_request_unknown'), refused(400, 'player_unknown')),
  },
  declineFriendRequest: {
    async input(world: World, by: Role) {
      if (by === 'owner' || by === 'launcher') await ask(world, world.banned.wallet, world.owner.wallet);
      return { wallet: world.banned.wallet };
    },
    answer: { success: true },
    access: ownersOnly(refused(400, 'friend_request_unknown'), refused(400, 'player_unknown')),
  },
  removeFriend: {
    async input(world: World, by: Role) {
      if (by === 'owner') await befriend(world, world.owner.wallet, world.banned.wallet);
      return { wallet: world.banned.wallet };
    },
    answer: { success: true },
    access: ofOneGame,
  },
  updateFriend: {
    async input(world: World, by: Role) {
      if (by === 'owner' || by === 'launcher') await befriend(world, world.owner.wallet, world.banned.wallet);
      return { wallet: world.banned.wallet, favorite: true, note: 'From school' };
    },
    answer: { success: true, favorite: true, note: 'From school' },
    access: ownersOnly(refused(400, 'not_a_friend'), refused(400, 'player_unknown')),
  },
  importFriends: {
    async input(world: World, by: Role) {
      if (by !== 'gameServer') return { wallet: world.owner.wallet, players: [world.participant.wallet] };
      return { wallet: await vouched(world), players: [await vouched(world), world.participant.wallet] };
    },
    caller: 'gameServer',
    answer: {
      success: true,
      imported: 1,
      refused: [{ wallet: '<participant>', reason: 'not_vouched' }],
    },
    access: serversOnly,
  },
  getFriendCode: {
    input: () => ({}),
    answer: { success: true, friendCode: expect.stringMatching(/^[0-9A-Z]{8}$/) },
    access: ownThingsOfPlayers,
  },
  resetFriendCode: {
    input: () => ({}),
    caller: 'launcher',
    answer: { success: true, friendCode: expect.stringMatching(/^[0-9A-Z]{8}$/) },
    access: wholeAccount,
  },
  getPrivacy: {
    input: () => ({}),
    caller: 'launcher',
    answer: { success: true, privacy },
    access: wholeAccount,
  },
  setPrivacy: {
    input: () => ({ requests: 'code', searchable: false }),
    caller: 'launcher',
    answer: { success: true, privacy: { ...privacy, requests: 'code', searchable: false } },
    access: wholeAccount,
  },
  getPlayers: {
    input: (world: World) => ({ wallets: [world.participant.wallet] }),
    answer: { success: true, players: [participant] },
    access: ownThingsOfPlayers,
  },
  searchPlayers: {
    input: () => ({ query: 'nobody has this name' }),
    answer: { success: true, players: [] },
    access: ownThingsOfPlayers,
  },
  sendInvite: {
    async input(world: World, by: Role) {
      if (by === 'owner') await befriend(world, world.owner.wallet, world.participant.wallet);
      const isLauncher = by === 'launcher' || by === 'strangersLauncher';
      const game = isLauncher ? { gameId: world.gameId } : {};
      return { wallets: [world.participant.wallet], connect: 'room 1', message: 'Come', ...game };
    },
    answer: { success: true, invites: [invited], refused: [] },
    access: ofOneGame,
  },
  respondToInvite: {
    async input(world: World, by: Role) {
      if (by !== 'owner' && by !== 'launcher') return { inviteId: world.gameId, accept: true };
      return { inviteId: await invite(world, { byOwner: false }), accept: true };
    },
    answer: { success: true, launch: { gameId: '<game>', url: '' }, connect: 'room 1' },
    access: ownersOnly(refused(400, 'invite_unknown')),
  },
  cancelInvite: {
    async input(world: World, by: Role) {
      if (by !== 'owner' && by !== 'launcher') return { inviteId: world.gameId };
      return { inviteId: await invite(world, { byOwner: true }) };
    },
    answer: { success: true },
    access: ownersOnly(refused(400, 'invite_unknown')),
  },
  listInvites: {
    async input(world: World) {
      await invite(world, { byOwner: true });
      return {};
    },
    answer: { success: true, received: [], sent: [invited] },
    access: ownThingsOfPlayers,
  },
} satisfies Partial<LauncherCases>;
