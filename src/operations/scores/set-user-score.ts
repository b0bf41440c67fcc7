import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { finiteScore, integerScore, nonce, scoreRecord } from '../../domain/score.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const setUserScore = defineOperation({
  name: 'setUserScore',
  service: 'launcher',
  kind: 'write',
  summary: "Set the player's score; with a nonce used before, replace the score under it",
  auth: 'player',
  input: z.object({ score: integerScore, nonce }),
  dispatchInput: z.object({ score: finiteScore, nonce }),
  output: z.object({ success, newScore: scoreRecord }),
  async handler({ input, caller }, { store }) {
    return { success: true, newScore: await store.scores.set(ownerOf(caller), input.score, input.nonce) };
  },
});
