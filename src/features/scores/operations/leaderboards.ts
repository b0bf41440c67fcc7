import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import {
  entryRule,
  keepRule,
  keepSeasonsInput,
  leaderboardName,
  leaderboardRecord,
  leaderboardRules,
  leaderboardSummary,
  maxLabels,
  scheduleInput,
  scoreLabel,
} from '../leaderboard.ts';
import { addLeaderboard, changeLeaderboard, deleteLeaderboard } from '../leaderboard-commands.ts';
import { listLeaderboardRows } from '../leaderboard-queries.ts';
import { toLeaderboardRecord, toLeaderboardSummary } from '../stored-leaderboard.ts';

export const getLeaderboards = defineOperation({
  name: 'getLeaderboards',
  service: 'scores',
  kind: 'read',
  summary: "List a game's public leaderboards except `default`, with their current seasons",
  auth: 'public',
  input: z.object({ gameId: gameInput }),
  output: z.object({ success, leaderboards: z.array(leaderboardSummary) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const rows = await db.read(listLeaderboardRows, gameId);
    const visible = rows.filter(({ isPublic }) => isPublic === 1);
    return { success: true, leaderboards: visible.map(toLeaderboardSummary) };
  },
});

export const listLeaderboards = defineAdminOperation({
  name: 'listLeaderboards',
  kind: 'read',
  summary: "List a game's leaderboards except `default`",
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({ success, leaderboards: z.array(leaderboardRecord) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const rows = await db.read(listLeaderboardRows, gameId);
    return { success: true, leaderboards: rows.map(toLeaderboardRecord) };
  },
});

export const createLeaderboard = defineAdminOperation({
  name: 'createLeaderboard',
  kind: 'write',
  summary: 'Create a leaderboard in addition to `default`; its ranking rules cannot be changed later',
  roles: operators,
  input: z
    .object({
      gameId: idInput,
      name: leaderboardName,
      keep: keepRule.default('best').meta({
        description:
          "Which of a player's scores counts (`best`, `latest`), or how they are aggregated (`sum`, `count`)",
      }),
      order: leaderboardRules.order.default('desc'),
      entries: entryRule.default('player').meta({
        description:
          '`player`: each player has one entry. `all`: every score is an entry, and `keep` must be `best`',
      }),
      public: z
        .boolean()
        .default(true)
        .meta({ description: "If false, only the game's server and administrators can read it" }),
      labels: z.array(scoreLabel).max(maxLabels).default([]).meta({
        description: 'Labels that scores may have, such as countries; each label also has its own ranking',
      }),
      schedule: scheduleInput
        .nullable()
        .default(null)
        .meta({ description: 'When seasons end; null: only on request' }),
      keepSeasons: keepSeasonsInput
        .nullable()
        .default(null)
        .meta({ description: 'How many finished seasons are kept; null: all' }),
    })
    .refine(({ entries, keep }) => entries === 'player' || keep === 'best', {
      path: ['keep'],
      error: 'requires one entry per player: omit it, or set entries to player',
    }),
  output: z.object({ success, leaderboard: leaderboardRecord }),
  async handler({ input: { gameId, ...leaderboard } }, { db }: { db: Store }) {
    return { success: true, leaderboard: await db.write(addLeaderboard, gameId, leaderboard) };
  },
});

export const updateLeaderboard = defineAdminOperation({
  name: 'updateLeaderboard',
  kind: 'write',
  summary: "Update a leaderboard's visibility, labels, schedule or number of kept seasons",
  roles: operators,
  input: z.object({
    gameId: idInput,
    leaderboard: z.string().min(1).max(200),
    public: z.boolean().optional(),
    addLabels: z
      .array(scoreLabel)
      .max(maxLabels)
      .optional()
      .meta({ description: 'Added to the existing labels' }),
    schedule: scheduleInput
      .nullable()
      .optional()
      .meta({ description: 'When seasons end; null: only on request' }),
    keepSeasons: keepSeasonsInput.nullable().optional().meta({
      description: 'How many finished seasons are kept, applied at the next season end; null: all',
    }),
  }),
  output: z.object({ success, leaderboard: leaderboardRecord }),
  async handler({ input: { gameId, leaderboard, ...changes } }, { db }: { db: Store }) {
    return { success: true, leaderboard: await db.write(changeLeaderboard, gameId, leaderboard, changes) };
  },
});

export const removeLeaderboard = defineAdminOperation({
  name: 'removeLeaderboard',
  kind: 'write',
  summary: 'Remove a leaderboard and its scores, including those of finished seasons',
  roles: operators,
  input: z.object({ gameId: idInput, leaderboard: z.string().min(1).max(200) }),
  output: z.object({ success }),
  async handler({ input: { gameId, leaderboard } }, { db }: { db: Store }) {
    // One write per batch, so that other writes can run in between.
    while (!(await db.write(deleteLeaderboard, gameId, leaderboard)));
    return { success: true };
  },
});
