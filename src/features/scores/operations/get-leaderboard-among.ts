import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { maxAmong } from '../leaderboard.ts';
import { readAmong } from '../leaderboard-queries.ts';
import { requireBoard } from '../require-board.ts';
import { boardInput, placedOutput, toBoardChoice, toPlacedRows } from './board-input.ts';

export const getLeaderboardAmong = defineOperation({
  name: 'getLeaderboardAmong',
  service: 'scores',
  kind: 'read',
  summary:
    'Read the rows of given players (friends) on a leaderboard, with their places on all of it, the best first',
  auth: 'public',
  input: z.object({ ...boardInput, wallets: z.array(addressInput).min(1).max(maxAmong) }),
  cost: { text: 'one read for every 4 wallets', of: ({ wallets }) => wallets.length / 4 },
  output: placedOutput,
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const board = await requireBoard(db, game, toBoardChoice(input), { isPublic: true });
    const rows = await db.read(readAmong, board, input.wallets);
    return { success: true, leaderboard: toPlacedRows(rows, publicUrls) };
  },
});
