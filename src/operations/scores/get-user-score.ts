import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { nonce, scoreRecord } from '../../domain/score.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const getUserScore = defineOperation({
  name: 'getUserScore',
  service: 'launcher',
  kind: 'read',
  summary: "Read the player's score last set, or the one under a nonce; null when there is none",
  auth: 'player',
  input: z.object({ nonce }),
  output: z.object({ success, score: scoreRecord.nullable() }),
  async handler({ input, caller }, { store }) {
    return { success: true, score: await store.scores.find(ownerOf(caller), input.nonce) };
  },
});
