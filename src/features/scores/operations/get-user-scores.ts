import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { pageCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { defaultLeaderboard, leaderboardInput } from '../leaderboard.ts';
import { findBoardScore, listBoardScores } from '../leaderboard-queries.ts';
import { listScores } from '../queries.ts';
import { requireBoard } from '../require-board.ts';
import { nonce, type ScoreRecord, scoreRecord } from '../score.ts';

export const getUserScores = defineOperation({
  name: 'getUserScores',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's scores, last set first",
  auth: 'player-or-server',
  input: z.object({ ...pagingOf(), nonce, leaderboard: leaderboardInput }),
  cost: pageCost(50),
  output: z.object({
    success,
    scores: z.array(scoreRecord.pick({ score: true, nonce: true, updatedAt: true })),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { leaderboard = defaultLeaderboard } = input;
    let records: ScoreRecord[];
    if (leaderboard === defaultLeaderboard) {
      records = await db.read(listScores, ownerOf(caller), input, input.nonce);
    } else {
      const board = await requireBoard(db, caller.game, { leaderboard }, { isPublic: false });
      const found =
        input.nonce === undefined
          ? undefined
          : await db.read(findBoardScore, board, ownerOf(caller), input.nonce);
      records =
        found === undefined
          ? await db.read(listBoardScores, board, ownerOf(caller), input)
          : [found].filter((one) => one !== null).slice(input.skip, input.skip + input.limit);
    }
    return {
      success: true,
      scores: records.map(({ score, nonce, updatedAt }) => ({ score, nonce, updatedAt })),
    };
  },
});
