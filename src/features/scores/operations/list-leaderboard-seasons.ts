import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { seasonRecord } from '../leaderboard.ts';
import { countSeasons, listSeasons } from '../leaderboard-queries.ts';
import { requireBoard } from '../require-board.ts';
import { toSeasonRecord } from '../stored-leaderboard.ts';
import { toBoardChoice } from './board-input.ts';

export const listLeaderboardSeasons = defineOperation({
  name: 'listLeaderboardSeasons',
  service: 'admin',
  kind: 'read',
  summary: 'List the finished seasons of a leaderboard, also one that is not public, newest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput, leaderboard: z.string().min(1).max(200), ...paging }),
  output: pagedOutput(seasonRecord),
  async handler({ input: { gameId, leaderboard, limit, skip } }, { db }: { db: Store }) {
    const game = await requireGame(db, gameId);
    await requireBoard(db, game, toBoardChoice({ leaderboard }), { isPublic: false });
    const rows = await db.read(listSeasons, gameId, leaderboard, { limit, skip });
    const total = await db.read(countSeasons, gameId, leaderboard);
    return { total, limit, skip, data: rows.map(toSeasonRecord) };
  },
});
