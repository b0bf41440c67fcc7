import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { everyRole, moderators, operators } from '../../../core/schemas/admin-role.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import { addressInput, idInput, success, text, timestamp } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { AnyTable } from '../../../core/storage/table.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { liveSessionsOf } from '../../sessions/queries.ts';
import { presentSessions } from '../../sessions/session-presence.ts';
import { ban, unban } from '../commands.ts';
import { auditedErasure } from '../erasing-commands.ts';
import { erasePlayerData } from '../player-eraser.ts';
import { type ExportPlace, isExportPlace, readPlayerExport } from '../player-export.ts';
import { readPlayerOverview } from '../player-overview.ts';
import { readBans } from '../queries.ts';

const lastSeenAt = timestamp.nullable().meta({
  description:
    'When the player last opened a session, set a score (not an imported one) or played (`trackGameSessions`) in the game; null: longer ago than sessions are kept, or never',
});

export const getPlayerDetails = defineAdminOperation({
  name: 'getPlayerDetails',
  deprecatedNames: { getPlayer: '2026-11-20' },
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

export const listBans = defineAdminOperation({
  name: 'listBans',
  kind: 'read',
  summary: 'List bans with their reasons, newest first',
  roles: everyRole,
  input: z.object({
    ...paging,
    gameId: notSeen(z.union([idInput, z.literal('')]), 'id')
      .optional()
      .meta({ description: "Only bans from this game; '': only those from every game" }),
    wallet: addressInput.optional(),
  }),
  output: pagedOutput(
    z
      .object({
        wallet: z.string(),
        username: z.string().meta({ description: 'Empty if the player has not set one' }),
        gameId: z.string().meta({ description: "'' means every game" }),
        reason: z.string(),
        at: timestamp,
      })
      .meta({ id: 'PlayerBan' }),
  ),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(readBans, input, input));
  },
});

/** The largest page; one with large states has fewer records. */
const maxExported = 1_000;

const exportPlace = z.strictObject({
  table: z.string(),
  scope: z.string(),
  after: z.array(z.union([z.string(), z.number()])),
});

const exportCursor = z
  .string()
  .max(8_192)
  .default('')
  .transform((text, context): ExportPlace | null => {
    if (text === '') return null;
    try {
      const place = exportPlace.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
      if (isExportPlace(place)) return place;
    } catch {}
    context.addIssue({ code: 'custom', message: 'must be the `nextCursor` of the previous page, or empty' });
    return z.NEVER;
  })
  .meta({ description: 'The `nextCursor` of the previous page; empty for the first page' });

export const exportPlayer = defineAdminOperation({
  name: 'exportPlayer',
  kind: 'read',
  summary: "Export a player's data in all games, page by page",
  roles: operators,
  input: z.object({
    wallet: addressInput,
    cursor: withReason(exportCursor, 'paging_invalid'),
    limit: withReason(
      z
        .int()
        .min(1)
        .default(maxExported)
        .transform((wanted) => Math.min(wanted, maxExported))
        .meta({ description: `Records wanted, up to ${maxExported} (default); a page may have fewer` }),
      'paging_invalid',
    ),
  }),
  output: z.object({
    success,
    records: z.array(
      z.object({
        type: z.string().meta({ description: 'What the record is, such as `scores` or `messages`' }),
        row: z.record(z.string(), z.unknown()),
      }),
    ),
    nextCursor: z.string().nullable().meta({ description: 'Where to continue; null after the last page' }),
  }),
  async handler({ input: { wallet, cursor, limit } }, { db }: { db: Store }) {
    const { records, next } = await db.read(readPlayerExport, wallet, cursor, limit);
    const nextCursor = next && Buffer.from(JSON.stringify(next)).toString('base64url');
    return { success: true, records, nextCursor };
  },
});

export const erasePlayer = defineAdminOperation({
  name: 'erasePlayer',
  kind: 'write',
  summary: "Permanently erase a player's data in all games",
  roles: operators,
  input: z.object({ wallet: addressInput }),
  output: z.object({ success }),
  auditInput: ({ wallet }) => auditedErasure(wallet),
  async handler({ input }, { db, tables }: { db: Store; tables: readonly AnyTable[] }) {
    await erasePlayerData(db, tables, input.wallet);
    return { success: true };
  },
});
