import { ownThings } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

export const batchCases = {
  batch: {
    input: ({ canaries }) => ({
      operations: [
        { method: 'setUserScore', data: { score: 125, nonce: canaries.nonce } },
        { method: 'sendNotification', data: { message: 'A new record', type: 'success' } },
      ],
    }),
    answer: {
      success: true,
      results: [
        {
          success: true,
          newScore: {
            _id: '<score>',
            nonce: '<nonce>',
            gameId: '<game>',
            normalizedAddress: '<owner>',
            score: 125,
            updatedAt: '<time>',
          },
        },
        { success: true },
      ],
    },
    access: ownThings,
  },
} satisfies Partial<LauncherCases>;
