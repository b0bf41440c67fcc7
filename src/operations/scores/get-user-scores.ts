import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { paging } from '../../domain/paging.ts';
import { nonce, scoreRecord } from '../../domain/score.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const getUserScores = defineOperation({
  name: 'getUserScores',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's scores, last set first",
  auth: 'player',
  input: z.object({ ...paging, nonce }),
  output: z.object({
    success,
    scores: z.array(scoreRecord.pick({ score: true, nonce: true, updatedAt: true })),
  }),
  async handler({ input, caller }, { store }) {
    const records = await store.scores.list(ownerOf(caller), input, input.nonce);
    return {
      success: true,
      scores: records.map(({ score, nonce, updatedAt }) => ({ score, nonce, updatedAt })),
    };
  },
});
