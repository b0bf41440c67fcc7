import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { recordPlays } from '../../../src/features/playtime/commands.ts';
import type { World } from '../../support/world.ts';
import { type AccessByRole, anyone, ownThingsOfPlayers, refused } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

/** The owner has played the game for 65 seconds. */
async function played({ server, gameId, owner: { wallet } }: World): Promise<void> {
  const { db } = server.services;
  const id = randomUUID();
  await db.write(recordPlays, { id, upMs: 0 }, [{ wallet, gameId, agoMs: 0 }]);
  await db.write(recordPlays, { id, upMs: 65_000 }, [{ wallet, gameId: null, agoMs: 0 }]);
}

async function ofOwner(world: World): Promise<{ wallet: string }> {
  await played(world);
  return { wallet: world.owner.wallet };
}

/** The owner's launcher sees what the owner has played in all games. */
const own: AccessByRole = { ...ownThingsOfPlayers, launcher: 'shared' };

const notAFriend = refused(400, 'not_a_friend');
const owners: AccessByRole = {
  ...own,
  participant: notAFriend,
  stranger: notAFriend,
  guest: notAFriend,
  strangersLauncher: notAFriend,
};
const notALauncher = refused(401, 'not_a_launcher');

// Callers on sockets play: whether that is recorded already depends on when the node next records it.
const row = {
  gameId: '<game>',
  seconds: 65,
  sessions: 1,
  firstAt: '<time>',
  lastAt: '<time>',
  playing: expect.any(Boolean),
};

export const playtimeCases = {
  followGameStats: {
    input: ({ gameId }) => ({ gameIds: [gameId] }),
    answer: {
      success: true,
      games: [{ gameId: '<game>', playing: expect.any(Number), updatedAt: '<time>' }],
    },
    access: anyone,
  },
  countInGame: {
    input: ({ gameId }) => ({ gameId }),
    answer: { count: expect.any(Number) },
    access: anyone,
  },
  countLiveGames: {
    input: () => ({}),
    answer: { liveGamesCount: expect.any(Number) },
    access: anyone,
  },
  getPlaytime: {
    async input(world) {
      await played(world);
      return {};
    },
    answer: { success: true, playtime: [row] },
    access: own,
  },
  listRecentGames: {
    async input(world) {
      await played(world);
      return { limit: 10 };
    },
    answer: { success: true, games: [{ ...row, slug: '<slug>', name: 'Orbit', image: '' }] },
    access: own,
  },
  getPlaytimeForGame: {
    input: async (world) => ({ ...(await ofOwner(world)), gameId: world.gameId }),
    answer: { success: true, secondsPlayed: 65 },
    access: { ...owners, elsewhere: notALauncher },
  },
  getPlaytimeForGames: {
    input: async (world) => ({ ...(await ofOwner(world)), gameIds: [world.gameId] }),
    answer: { success: true, secondsPlayed: [65] },
    access: { ...owners, elsewhere: notALauncher },
  },
  getTotalPlaytime: {
    input: ofOwner,
    answer: { success: true, playtime: 65 },
    access: owners,
  },
  getGamesHistory: {
    input: async (world) => ({ ...(await ofOwner(world)), limit: 10, skip: 0 }),
    answer: {
      success: true,
      currentlyPlaying: expect.any(Array),
      history: expect.any(Array),
    },
    access: owners,
  },
  getLastPlayed: {
    input: ofOwner,
    answer: {
      success: true,
      gameId: '<game>',
      currentlyPlaying: expect.any(Boolean),
      playedAt: '<time>',
      duration: 0,
    },
    access: owners,
  },
} satisfies Partial<LauncherCases>;
