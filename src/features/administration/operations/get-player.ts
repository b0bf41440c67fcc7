import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { liveSessionsOf } from '../../sessions/queries.ts';
import { presentSessions } from '../../sessions/session-presence.ts';
import { readPlayerOverview } from '../player-overview.ts';

const lastSeenAt = timestamp.meta({
  description: 'When the player last opened a session, set a score or played (`trackGameSessions`) there',
});

export const getPlayer = defineOperation({
  name: 'getPlayer',
  service: 'admin',
  kind: 'read',
  summary:
    'Get a player: profile, bans, games played, and where the player is online; null for an unknown wallet',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ wallet: addressInput }),
  output: z.object({
    success,
    player: z
      .object({
        wallet: z.string(),
        userId: z.string(),
        username: z.string(),
        avatar: z.string(),
        createdAt: timestamp,
        bans: z.array(
          z.object({
            gameId: z.string().meta({ description: "'' means every game" }),
            reason: z.string(),
            at: timestamp,
          }),
        ),
        games: z
          .array(
            z.object({
              gameId: z.string(),
              sessions: z.int().meta({ description: 'Including ended ones' }),
              lastSeenAt,
              present: z.boolean().meta({ description: 'Online there now' }),
            }),
          )
          .meta({ description: 'The games a session was opened in, last seen first' }),
      })
      .nullable(),
  }),
  async handler({ input: { wallet } }, parts: { db: Store; presence: Presence }) {
    const found = await parts.db.read(readPlayerOverview, wallet);
    if (found === null) return { success: true, player: null };
    const live = await parts.db.read(liveSessionsOf, [wallet]);
    const sessions = live.map(({ session }) => session);
    const ids = await presentSessions(parts, sessions, live);
    const present = new Set(sessions.flatMap(({ id, gameId }) => (ids.has(id) ? [gameId] : [])));
    const games = found.games.map((game) => ({ ...game, present: present.has(game.gameId) }));
    return { success: true, player: { ...found, games } };
  },
});
