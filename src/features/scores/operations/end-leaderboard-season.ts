import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { endSeason } from '../leaderboard-commands.ts';

export const endLeaderboardSeason = defineOperation({
  name: 'endLeaderboardSeason',
  service: 'scores',
  kind: 'write',
  summary: "End a season of a leaderboard of the server's own game, if it is under way; the next one begins",
  auth: 'game-secret',
  isRepeatable: true, // a season ends once
  input: z.object({
    leaderboard: notSeen(z.string().min(1).max(200), 'choice'),
    season: z.int().min(1).meta({ description: 'The season to end' }),
  }),
  output: z.object({ success, season: z.int().meta({ description: 'The current season' }) }),
  async handler({ input: { leaderboard, season }, caller }, { db }: { db: Store }) {
    return { success: true, season: await db.write(endSeason, caller.game.id, leaderboard, { season }) };
  },
});
