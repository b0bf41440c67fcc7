import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import { pagedOutput, paging, pagingOf } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { pageCost } from '../../operation-cost.ts';
import { requireBoard } from '../boards.ts';
import { leaderboardInput, seasonRecord } from '../leaderboard.ts';
import { endSeason } from '../leaderboard-commands.ts';
import { countSeasons, listSeasons } from '../leaderboard-queries.ts';
import { toSeasonRecord } from '../stored-leaderboard.ts';

export const getLeaderboardSeasons = defineOperation({
  name: 'getLeaderboardSeasons',
  service: 'scores',
  kind: 'read',
  summary: 'List the finished seasons of a leaderboard, latest first',
  auth: 'public',
  input: z.object({ gameId: gameInput, leaderboard: leaderboardInput, ...pagingOf() }),
  cost: pageCost(50),
  output: z.object({ success, seasons: z.array(seasonRecord) }),
  async handler({ input }, { db }: { db: Store }) {
    const game = await requireGame(db, input.gameId);
    const { leaderboard } = await requireBoard(db, game, input, { isPublic: true });
    const rows = await db.read(listSeasons, game.id, leaderboard, input);
    return { success: true, seasons: rows.map(toSeasonRecord) };
  },
});

export const listLeaderboardSeasons = defineAdminOperation({
  name: 'listLeaderboardSeasons',
  kind: 'read',
  summary: 'List the finished seasons of a leaderboard, including private ones, latest first',
  roles: everyRole,
  input: z.object({ gameId: idInput, leaderboard: z.string().min(1).max(200), ...paging }),
  output: pagedOutput(seasonRecord),
  async handler({ input: { gameId, leaderboard, limit, skip } }, { db }: { db: Store }) {
    const game = await requireGame(db, gameId);
    await requireBoard(db, game, { leaderboard }, { isPublic: false });
    const rows = await db.read(listSeasons, gameId, leaderboard, { limit, skip });
    const total = await db.read(countSeasons, gameId, leaderboard);
    return { total, limit, skip, data: rows.map(toSeasonRecord) };
  },
});

export const endLeaderboardSeason = defineOperation({
  name: 'endLeaderboardSeason',
  service: 'scores',
  kind: 'write',
  summary: "End a season of a leaderboard of the server's own game if it is current, and start the next one",
  auth: 'game-secret',
  isRepeatable: true, // a season ends once
  input: z.object({
    leaderboard: notSeen(z.string().min(1).max(200), 'choice'),
    season: z.int().min(1).meta({ description: 'The season to end' }),
  }),
  output: z.object({ success, season: z.int().meta({ description: 'The current season' }) }),
  async handler({ input: { leaderboard, season }, caller }, { db }: { db: Store }) {
    return { success: true, season: await db.write(endSeason, caller.game.id, leaderboard, { season }) };
  },
});

export const resetLeaderboard = defineAdminOperation({
  name: 'resetLeaderboard',
  kind: 'write',
  summary: 'End the current season of a leaderboard, keeping its ranking, and start the next one',
  roles: operators,
  input: z.object({
    gameId: idInput,
    leaderboard: z.string().min(1).max(200),
    season: notSeen(z.int().min(1), 'id').optional().meta({
      description: 'The season to end: nothing happens if it has ended already. Omitted: the current one',
    }),
  }),
  output: z.object({ success, season: z.int().meta({ description: 'The current season' }) }),
  async handler({ input: { gameId, leaderboard, season } }, { db }: { db: Store }) {
    return { success: true, season: await db.write(endSeason, gameId, leaderboard, { season }) };
  },
});
