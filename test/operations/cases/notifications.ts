import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import type { World } from '../../support/world.ts';
import { ownThings, ownThingsOfPlayers, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

/** In the owner's inbox in that game. */
function notifyOwner({ server, owner }: World) {
  return server.services.db.write(notifyPlayer, owner, { message: 'Level 5 reached', type: 'success' });
}

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
} satisfies Partial<LauncherCases>;
