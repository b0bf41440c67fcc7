import { z } from 'zod';
import { moderators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { deleteScore } from '../commands.ts';

export const removeScore = defineOperation({
  name: 'removeScore',
  service: 'admin',
  kind: 'write',
  summary: 'Delete a score, and update the leaderboard',
  auth: 'admin',
  roles: moderators,
  input: z.object({ gameId: idInput, scoreId: idInput }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(deleteScore, input.gameId, input.scoreId);
    return { success: true };
  },
});
