import { anyone, ownThings } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

export const activityCases = {
  sendCustomActivity: {
    input: () => ({ label: '{username} opened the gate', eventId: 'gate' }),
    answer: {
      success: true,
      activity: {
        _id: '<id>',
        label: '{username} opened the gate',
        normalizedAddress: '<owner>',
        eventId: 'gate',
        gameId: '<game>',
        timestamp: '<time>',
      },
    },
    access: ownThings,
  },
  getActivities: {
    input: ({ gameId, owner }) => ({
      gameId,
      walletAddress: owner.wallet,
      type: 'off-chain',
      pageSize: 10,
      pageNumber: 1,
    }),
    answer: {
      success: true,
      result: {
        pageNumber: 1,
        pageSize: 10,
        data: [
          {
            type: 'off-chain',
            eventId: 'key',
            gameId: '<game>',
            gameName: 'Orbit',
            gameSlug: '<slug>',
            user: { id: "<owner's user id>", address: '<owner>', username: 'Ada' },
            displayText: 'Ada found the key',
            timestamp: '<time>',
          },
        ],
      },
    },
    access: anyone,
  },
} satisfies Partial<LauncherCases>;
