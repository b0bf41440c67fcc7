import { refused, refusedTo, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

export const muteCases = {
  muteParticipant: {
    input: ({ channelId, participant }) => ({
      channelId,
      wallet: participant.wallet,
      seconds: 60,
      reason: 'Calm down',
    }),
    answer: { success: true, until: '<time>' },
    access: refusedTo(refused(400, 'channel_unknown'), {
      participant: refused(401, 'permission_missing'),
    }),
  },
  muteInGame: {
    input: ({ owner }) => ({ wallet: owner.wallet, seconds: 60 }),
    caller: 'gameServer',
    answer: { success: true, until: '<time>' },
    access: serversOnly,
  },
} satisfies Partial<LauncherCases>;
