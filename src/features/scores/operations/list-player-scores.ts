import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { defaultLeaderboard, leaderboardInput, seasonInput } from '../leaderboard.ts';
import { countBoardScores, listBoardScores } from '../leaderboard-queries.ts';
import { countScores, listScores } from '../queries.ts';
import { requireBoard } from '../require-board.ts';
import { scoreRecord } from '../score.ts';

export const listPlayerScores = defineOperation({
  name: 'listPlayerScores',
  service: 'admin',
  kind: 'read',
  summary: "List a player's scores in a game, last set first",
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    ...paging,
    leaderboard: leaderboardInput,
    season: seasonInput,
  }),
  output: pagedOutput(scoreRecord),
  async handler({ input }, { db }: { db: Store }) {
    const { limit, skip, gameId, wallet, leaderboard = defaultLeaderboard, season } = input;
    const owner = { gameId, wallet };
    const game = await requireGame(db, gameId);
    if (leaderboard !== defaultLeaderboard || season !== undefined) {
      const board = await requireBoard(db, game, { leaderboard, season }, { isPublic: false });
      const [total, data] = await Promise.all([
        db.read(countBoardScores, board, owner),
        db.read(listBoardScores, board, owner, { limit, skip }),
      ]);
      return { total, limit, skip, data };
    }
    const [total, data] = await Promise.all([
      db.read(countScores, owner),
      db.read(listScores, owner, { limit, skip }),
    ]);
    return { total, limit, skip, data };
  },
});
