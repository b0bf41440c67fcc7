import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const removeScore = defineOperation({
  name: 'removeScore',
  service: 'admin',
  kind: 'write',
  summary: 'Take a score away; the leaderboard follows',
  auth: 'admin',
  input: z.object({ gameId: idInput, scoreId: idInput }),
  output: z.object({ success }),
  async handler({ input }, { store }) {
    await store.scores.remove(input.gameId, input.scoreId);
    return { success: true };
  },
});
