import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { pageCost } from '../../cost.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { leaderboardInput, seasonRecord } from '../leaderboard.ts';
import { listSeasons } from '../leaderboard-queries.ts';
import { requireBoard } from '../require-board.ts';
import { toSeasonRecord } from '../stored-leaderboard.ts';
import { toBoardChoice } from './board-input.ts';

export const getLeaderboardSeasons = defineOperation({
  name: 'getLeaderboardSeasons',
  service: 'scores',
  kind: 'read',
  summary: 'List the finished seasons of a leaderboard, newest first',
  auth: 'public',
  input: z.object({ gameId: idInput, leaderboard: leaderboardInput, ...pagingOf() }),
  cost: pageCost(50),
  output: z.object({ success, seasons: z.array(seasonRecord) }),
  async handler({ input }, { db }: { db: Store }) {
    const game = await requireGame(db, input.gameId);
    const { leaderboard } = await requireBoard(db, game, toBoardChoice({ leaderboard: input.leaderboard }), {
      isPublic: true,
    });
    const rows = await db.read(listSeasons, game.id, leaderboard, input);
    return { success: true, seasons: rows.map(toSeasonRecord) };
  },
});
