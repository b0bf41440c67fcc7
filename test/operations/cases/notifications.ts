import { ownThings, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

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
} satisfies Partial<LauncherCases>;
