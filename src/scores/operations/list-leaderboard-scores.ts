import { z } from 'zod';
import { everyRole } from '../../core/schemas/admin-role.ts';
import { paging } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operations/define.ts';
import type { PublicUrls } from '../../public-urls.ts';
import { requireBoard } from '../require-board.ts';
import { boardInput, choiceOf, placedOutput, toPlacedRows } from './board-input.ts';
import { placedPage } from './placed-page.ts';

export const listLeaderboardScores = defineOperation({
  name: 'listLeaderboardScores',
  service: 'admin',
  kind: 'read',
  summary: 'List a leaderboard in any season, also one that is not public, with places',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ ...boardInput, ...paging }),
  output: placedOutput,
  async handler({ input }, { db, links }: { db: Database; links: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, choiceOf(input), { isPublic: false });
    return { success: true, leaderboard: toPlacedRows(await placedPage(db, board, input), links) };
  },
});
