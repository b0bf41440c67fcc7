import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import { setGameMuted } from '../../../src/features/notifications/muted-game-commands.ts';
import type { World } from '../../support/world.ts';
import { launchersOnly, ownThings, ownThingsOfPlayers, refused, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

/** In the owner's inbox in that game. */
function notifyOwner({ server, owner }: World) {
  return server.services.db.write(notifyPlayer, owner, { message: 'Level 5 reached', type: 'success' });
}

const ofLauncher = launchersOnly(refused(401, 'not_a_launcher'));

export const notificationCases = {
  sendNotification: {
    input: () => ({ message: 'Level 5 reached', type: 'success' }),
    answer: { success: true },
    access: ownThings,
  },
  notifyPlayers: {
    input: ({ owner, banned }) => ({
      wallets: [owner.wallet, banned.wallet],
      message: 'The match begins',
      type: 'success',
    }),
    caller: 'gameServer',
    answer: { success: true, banned: ['<banned>'] },
    access: serversOnly,
  },
  listNotifications: {
    async input(world) {
      await notifyOwner(world);
      return { limit: 1 };
    },
    answer: {
      success: true,
      notifications: [
        {
          _id: '<id>',
          gameId: '<game>',
          normalizedAddress: '<owner>',
          message: 'Level 5 reached',
          type: 'success',
          createdAt: '<time>',
          readAt: null,
        },
      ],
      unread: 1,
      cursor: null,
    },
    // A launcher session has the inbox of every game.
    access: { ...ownThings, launcher: 'shared' },
  },
  markNotificationsRead: {
    async input(world) {
      return { notificationIds: [(await notifyOwner(world))._id] };
    },
    answer: { success: true, notificationIds: ['<id>'], more: false },
    access: { ...ownThingsOfPlayers, launcher: 'shared' },
  },
  setMutedGame: {
    input: ({ gameId }) => ({ gameId, muted: true }),
    caller: 'launcher',
    answer: { success: true },
    access: ofLauncher,
  },
  listMutedGames: {
    async input({ server, owner }) {
      await server.services.db.write(setGameMuted, owner, true);
      return { limit: 10, skip: 0 };
    },
    caller: 'launcher',
    answer: {
      total: 1,
      limit: 10,
      skip: 0,
      data: [{ gameId: '<game>', slug: '<slug>', name: 'Orbit', image: '', mutedAt: '<time>' }],
    },
    access: { ...ofLauncher, launcher: 'shared' },
  },
} satisfies Partial<LauncherCases>;
