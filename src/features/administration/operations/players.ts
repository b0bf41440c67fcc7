import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { everyRole, moderators, operators } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success, text, timestamp } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { AnyTable } from '../../../core/storage/table.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { liveSessionsOf } from '../../sessions/queries.ts';
import { presentSessions } from '../../sessions/session-presence.ts';
import { ban, unban } from '../commands.ts';
import { erasePlayerData } from '../player-eraser.ts';
import { readPlayerOverview } from '../player-overview.ts';

const lastSeenAt = timestamp.nullable().meta({
  description:
    'When the player last opened a session, set a score or played (`trackGameSessions`) in the game; null: longer ago than sessions are kept',
});

export const getPlayer = defineAdminOperation({
  name: 'getPlayer',
  kind: 'read',
  summary: "Get a player's profile, bans, games and presence; null for an unknown wallet",
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
              sessions: z.int().meta({ description: 'Including ended ones, as long as they are kept' }),
              lastSeenAt,
              present: z.boolean().meta({ description: 'Whether the player is online in the game' }),
            }),
          )
          .meta({ description: 'Games in which the player was online or has data, last seen first' }),
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

export const banPlayer = defineAdminOperation({
  name: 'banPlayer',
  kind: 'write',
  summary: "Ban a player from one game or all games, and end the player's sessions there",
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    gameId: idInput.optional().meta({ description: 'Default: all games' }),
    reason: text(0, 500).default(''),
  }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    if (input.gameId !== undefined) await requireGame(db, input.gameId);
    await db.write(ban, input.wallet, input.gameId ?? null, input.reason);
    return { success: true };
  },
});

export const unbanPlayer = defineAdminOperation({
  name: 'unbanPlayer',
  kind: 'write',
  summary: "Remove a player's ban from one game, or from all games",
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    gameId: idInput.optional().meta({ description: 'Default: the ban from all games' }),
  }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(unban, input.wallet, input.gameId ?? null);
    return { success: true };
  },
});

export const erasePlayer = defineAdminOperation({
  name: 'erasePlayer',
  kind: 'write',
  summary: "Permanently erase a player's data in all games",
  roles: operators,
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  // The log must not store erased data; the hash lets anyone who knows the wallet find the entry.
  auditInput: ({ wallet }) => ({ walletSha256: createHash('sha256').update(wallet).digest('hex') }),
  async handler({ input }, { db, tables }: { db: Store; tables: readonly AnyTable[] }) {
    await erasePlayerData(db, tables, input.wallet);
    return { success: true };
  },
});
