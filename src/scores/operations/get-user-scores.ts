import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import { pagingOf } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { listScores } from '../queries.ts';
import { nonce, scoreRecord } from '../score.ts';

export const getUserScores = defineOperation({
  name: 'getUserScores',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's scores, last set first",
  auth: 'player-or-server',
  input: z.object({ ...pagingOf(), nonce }),
  output: z.object({
    success,
    scores: z.array(scoreRecord.pick({ score: true, nonce: true, updatedAt: true })),
  }),
  async handler({ input, caller }, { db }: { db: Database }) {
    const records = await db.read(listScores, ownerOf(caller), input, input.nonce);
    return {
      success: true,
      scores: records.map(({ score, nonce, updatedAt }) => ({ score, nonce, updatedAt })),
    };
  },
});
