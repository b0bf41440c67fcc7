import { refused, refusedTo } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const notYours = refused(401, 'play_session_not_yours');

export const playSessionCases = {
  trackGameSessions: {
    input: ({ playSessionId }) => ({
      sessionId: playSessionId,
      state: '{"level":5}',
      endTime: Date.now() + 1000,
    }),
    answer: { success: true },
    access: refusedTo(notYours, { gameServer: 'shared', otherGameServer: notYours }),
  },
} satisfies Partial<LauncherCases>;
