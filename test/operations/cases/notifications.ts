import { ownThings } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

export const notificationCases = {
  sendNotification: {
    input: () => ({ message: 'Level 5 reached', type: 'success' }),
    answer: { success: true },
    access: ownThings,
  },
} satisfies Partial<LauncherCases>;
