import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import type { Store } from '../../../core/storage/store.ts';
import { rowsCost } from '../../cost.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { readAround } from '../leaderboard-queries.ts';
import { requireBoard } from '../require-board.ts';
import { boardInput, placedOutput, toBoardChoice, toPlacedRows } from './board-input.ts';

const defaultRows = 11;
const maxRows = 101;

export const getLeaderboardAround = defineOperation({
  name: 'getLeaderboardAround',
  service: 'scores',
  kind: 'read',
  summary: "Read the rows of a leaderboard around a player's, with their places; none without a score",
  auth: 'public',
  input: z.object({
    ...boardInput,
    wallet: addressInput,
    limit: withReason(
      z
        .int()
        .min(0)
        .default(defaultRows)
        .transform((limit) => Math.min(limit || defaultRows, maxRows))
        .meta({
          description: `Rows wanted, the player's in the middle; default ${defaultRows}, more than ${maxRows} is capped to ${maxRows}`,
        }),
      'paging_invalid',
    ),
  }),
  cost: rowsCost(50),
  output: placedOutput,
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, toBoardChoice(input), { isPublic: true });
    const rows = (await db.read(readAround, board, input.wallet, input.limit)) ?? [];
    return { success: true, leaderboard: toPlacedRows(rows, publicUrls) };
  },
});
