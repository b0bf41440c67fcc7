import { z } from 'zod';
import { sessionSummary } from '../../domain/channel-session.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const listChannelSessions = defineOperation({
  name: 'listChannelSessions',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's live sessions, newest first: a launcher sees all games, a game only its own",
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, sessions: z.array(sessionSummary) }),
  async handler({ caller }, { store, presence }) {
    const live = await store.sessions.listLive(caller.session.wallet);
    const visible = live.filter(({ game }) => caller.game.kind === 'launcher' || game.id === caller.game.id);
    const sessions = await Promise.all(
      visible.map(async ({ session, game }) => ({
        sessionId: session.id,
        gameId: game.id,
        gameName: game.name,
        openedAt: session.openedAt,
        expiresAt: session.expiresAt,
        present: await presence.isPresent(session.id),
      })),
    );
    return { success: true, sessions };
  },
});
