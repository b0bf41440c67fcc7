import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { keepSeasonsInput, leaderboardRecord, maxLabels, scheduleInput, scoreLabel } from '../leaderboard.ts';
import { changeLeaderboard } from '../leaderboard-commands.ts';

export const updateLeaderboard = defineOperation({
  name: 'updateLeaderboard',
  service: 'admin',
  kind: 'write',
  summary: 'Change who reads a leaderboard, its labels, its schedule or how many seasons are kept',
  auth: 'admin',
  roles: operators,
  input: z.object({
    gameId: idInput,
    leaderboard: z.string().min(1).max(200),
    public: z.boolean().optional(),
    addLabels: z
      .array(scoreLabel)
      .max(maxLabels)
      .optional()
      .meta({ description: 'Added to the existing labels' }),
    schedule: scheduleInput
      .nullable()
      .optional()
      .meta({ description: 'When seasons end; null: on request only' }),
    keepSeasons: keepSeasonsInput.nullable().optional().meta({
      description: 'How many finished seasons are kept from the next end on; null: all',
    }),
  }),
  output: z.object({ success, leaderboard: leaderboardRecord }),
  async handler({ input: { gameId, leaderboard, ...changes } }, { db }: { db: Store }) {
    return { success: true, leaderboard: await db.write(changeLeaderboard, gameId, leaderboard, changes) };
  },
});
