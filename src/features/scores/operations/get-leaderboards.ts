import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { leaderboardSummary } from '../leaderboard.ts';
import { listLeaderboardRows } from '../leaderboard-queries.ts';
import { toLeaderboardSummary } from '../stored-leaderboard.ts';

export const getLeaderboards = defineOperation({
  name: 'getLeaderboards',
  service: 'scores',
  kind: 'read',
  summary: "List a game's public leaderboards except `default`, with their seasons under way",
  auth: 'public',
  input: z.object({ gameId: idInput }),
  output: z.object({ success, leaderboards: z.array(leaderboardSummary) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const rows = await db.read(listLeaderboardRows, gameId);
    const visible = rows.filter(({ isPublic }) => isPublic === 1);
    return { success: true, leaderboards: visible.map(toLeaderboardSummary) };
  },
});
