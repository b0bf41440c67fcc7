import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { setScore } from '../commands.ts';
import { defaultLeaderboard, labelInput, leaderboardInput, metadataInput } from '../leaderboard.ts';
import { setLeaderboardScore } from '../leaderboard-score-commands.ts';
import { finiteScore, integerScore, nonce, scoreRecord, scoreSession } from '../score.ts';

/** Fields of a score on a named leaderboard. */
const namedFields = { leaderboard: leaderboardInput, label: labelInput, metadata: metadataInput };

export const setUserScore = defineOperation({
  name: 'setUserScore',
  service: 'launcher',
  kind: 'write',
  summary: "Set the player's score; with a nonce used before, replace the score under it",
  auth: 'player-or-server',
  input: z.object({ score: integerScore, nonce, sessionId: scoreSession, ...namedFields }),
  dispatchInput: z.object({ score: finiteScore, nonce, sessionId: scoreSession, ...namedFields }),
  output: z.object({ success, newScore: scoreRecord }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { leaderboard = defaultLeaderboard } = input;
    if (leaderboard !== defaultLeaderboard) {
      const newScore = await db.write(setLeaderboardScore, ownerOf(caller), leaderboard, input.score, {
        nonce: input.nonce,
        sessionId: input.sessionId,
        label: input.label,
        metadata: input.metadata,
      });
      return { success: true, newScore };
    }
    if (input.label !== undefined || input.metadata !== undefined) {
      throw new GantryError(
        'metadata_not_kept',
        'Scores on the leaderboard `default` carry neither label nor metadata: name another leaderboard',
      );
    }
    return {
      success: true,
      newScore: await db.write(setScore, ownerOf(caller), input.score, input.nonce, {
        sessionId: input.sessionId,
      }),
    };
  },
});
