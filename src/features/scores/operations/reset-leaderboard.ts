import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { endSeason } from '../leaderboard-commands.ts';

export const resetLeaderboard = defineOperation({
  name: 'resetLeaderboard',
  service: 'admin',
  kind: 'write',
  summary: 'End the season of a leaderboard now; it is kept with its places, and the next one begins',
  auth: 'admin',
  roles: operators,
  input: z.object({ gameId: idInput, leaderboard: z.string().min(1).max(200) }),
  output: z.object({ success, season: z.int().meta({ description: 'The season that has begun' }) }),
  async handler({ input: { gameId, leaderboard } }, { db }: { db: Store }) {
    return { success: true, season: await db.write(endSeason, gameId, leaderboard) };
  },
});
