import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import type { Store } from '../../core/storage/store.ts';
import { defineOperation } from '../../operations/define.ts';
import type { Presence } from '../../presence/presence.ts';
import { sessionSummary } from '../channel-session.ts';
import { liveSessions } from '../queries.ts';
import { isSessionPresent } from '../session-presence.ts';

export const listChannelSessions = defineOperation({
  name: 'listChannelSessions',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's live sessions, newest first: a launcher sees all games, a game only its own",
  auth: 'player-or-server',
  input: z.object({}),
  output: z.object({ success, sessions: z.array(sessionSummary) }),
  async handler({ caller }, services: { db: Store; presence: Presence }) {
    const live = await services.db.read(liveSessions, caller.wallet);
    // A launcher's server acts for the launcher, not for its players in other games.
    const seesAll = caller.session !== null && caller.game.kind === 'launcher';
    const visible = live.filter(({ game }) => seesAll || game.id === caller.game.id);
    const sessions = await Promise.all(
      visible.map(async ({ session, game }) => ({
        sessionId: session.id,
        gameId: game.id,
        gameName: game.name,
        openedAt: session.openedAt,
        expiresAt: session.expiresAt,
        present: await isSessionPresent(services, session),
      })),
    );
    return { success: true, sessions };
  },
});
