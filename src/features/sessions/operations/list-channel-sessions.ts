import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { fixedCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { sessionSummary } from '../channel-session.ts';
import { liveSessions } from '../queries.ts';
import { presentSessions } from '../session-presence.ts';

export const listChannelSessions = defineOperation({
  name: 'listChannelSessions',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's live sessions, newest first: a launcher sees all games, a game only its own",
  auth: 'player-or-server',
  input: z.object({}),
  cost: fixedCost('read', 5),
  output: z.object({ success, sessions: z.array(sessionSummary) }),
  async handler({ caller }, services: { db: Store; presence: Presence }) {
    const live = await services.db.read(liveSessions, caller.wallet);
    // A launcher's server acts for the launcher, not for its players in other games.
    const seesAll = caller.session !== null && caller.game.kind === 'launcher';
    const visible = live.filter(({ game }) => seesAll || game.id === caller.game.id);
    const present = await presentSessions(
      services,
      visible.map(({ session }) => session),
      live.map(({ session, game }) => ({ session, isOfLauncher: game.kind === 'launcher' })),
    );
    const sessions = visible.map(({ session, game }) => ({
      sessionId: session.id,
      gameId: game.id,
      gameName: game.name,
      openedAt: session.openedAt,
      openedBy: session.openedBy,
      expiresAt: session.expiresAt,
      present: present.has(session.id),
    }));
    return { success: true, sessions };
  },
});
