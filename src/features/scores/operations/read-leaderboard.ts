import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { rowsCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { requireBoard } from '../require-board.ts';
import { boardInput, placedOutput, toBoardChoice, toPlacedRows } from './board-input.ts';
import { placedPage } from './placed-page.ts';

const { leaderboard, season, label } = boardInput;

export const readLeaderboard = defineOperation({
  name: 'readLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: "Read a leaderboard of the server's own game, also one that is not public, with places",
  auth: 'game-secret',
  input: z.object({ leaderboard, season, label, ...pagingOf() }),
  cost: rowsCost(50),
  output: placedOutput,
  async handler({ input, caller }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const board = await requireBoard(db, caller.game, toBoardChoice(input), { isPublic: false });
    return { success: true, leaderboard: toPlacedRows(await placedPage(db, board, input), publicUrls) };
  },
});
