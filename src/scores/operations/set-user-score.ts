import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { setScore } from '../commands.ts';
import { finiteScore, integerScore, nonce, scoreRecord, scoreSession } from '../score.ts';

export const setUserScore = defineOperation({
  name: 'setUserScore',
  service: 'launcher',
  kind: 'write',
  summary: "Set the player's score; with a nonce used before, replace the score under it",
  auth: 'player-or-server',
  input: z.object({ score: integerScore, nonce, sessionId: scoreSession }),
  dispatchInput: z.object({ score: finiteScore, nonce, sessionId: scoreSession }),
  output: z.object({ success, newScore: scoreRecord }),
  async handler({ input, caller }, { db }: { db: Database }) {
    return {
      success: true,
      newScore: await db.write(setScore, ownerOf(caller), input.score, input.nonce, {
        sessionId: input.sessionId,
      }),
    };
  },
});
