import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { defaultLeaderboard, leaderboardInput } from '../leaderboard.ts';
import { findBoardScore } from '../leaderboard-queries.ts';
import { findScore } from '../queries.ts';
import { requireBoard } from '../require-board.ts';
import { nonce, scoreRecord } from '../score.ts';

export const getUserScore = defineOperation({
  name: 'getUserScore',
  service: 'launcher',
  kind: 'read',
  summary:
    "Read the player's score last set (on a leaderboard with a name: what counts there), or the one under a nonce; null when there is none",
  auth: 'player-or-server',
  input: z.object({ nonce, leaderboard: leaderboardInput }),
  output: z.object({ success, score: scoreRecord.nullable() }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { leaderboard = defaultLeaderboard } = input;
    if (leaderboard !== defaultLeaderboard) {
      const board = await requireBoard(db, caller.game, { leaderboard }, { isPublic: false });
      return { success: true, score: await db.read(findBoardScore, board, ownerOf(caller), input.nonce) };
    }
    return { success: true, score: await db.read(findScore, ownerOf(caller), input.nonce) };
  },
});
