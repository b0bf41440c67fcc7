import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { deleteLeaderboard } from '../leaderboard-commands.ts';

export const removeLeaderboard = defineOperation({
  name: 'removeLeaderboard',
  service: 'admin',
  kind: 'write',
  summary: 'Remove a leaderboard with its scores, also those of its finished seasons',
  auth: 'admin',
  roles: operators,
  input: z.object({ gameId: idInput, leaderboard: z.string().min(1).max(200) }),
  output: z.object({ success }),
  async handler({ input: { gameId, leaderboard } }, { db }: { db: Store }) {
    // One write per batch, so that other writes can run in between.
    while (!(await db.write(deleteLeaderboard, gameId, leaderboard)));
    return { success: true };
  },
});
