import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { readAround } from '../leaderboard-queries.ts';
import { requireBoard } from '../require-board.ts';
import { boardInput, placedOutput, toBoardChoice, toPlacedRows } from './board-input.ts';
import { placedPage } from './placed-page.ts';

export const listLeaderboardScores = defineOperation({
  name: 'listLeaderboardScores',
  service: 'admin',
  kind: 'read',
  summary: 'List a leaderboard in any season, also one that is not public, with places',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    ...boardInput,
    ...paging,
    around: addressInput.optional().meta({
      description: "In place of a page: the `limit` rows around this player's, none without a score",
    }),
  }),
  output: placedOutput,
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, toBoardChoice(input), { isPublic: false });
    const rows =
      input.around === undefined
        ? await placedPage(db, board, input)
        : ((await db.read(readAround, board, input.around, input.limit)) ?? []);
    return { success: true, leaderboard: toPlacedRows(rows, publicUrls) };
  },
});
