import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { leaderboardRecord } from '../leaderboard.ts';
import { listLeaderboardRows } from '../leaderboard-queries.ts';
import { toLeaderboardRecord } from '../stored-leaderboard.ts';

export const listLeaderboards = defineOperation({
  name: 'listLeaderboards',
  service: 'admin',
  kind: 'read',
  summary: "List a game's leaderboards except `default`",
  auth: 'admin',
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({ success, leaderboards: z.array(leaderboardRecord) }),
  async handler({ input: { gameId } }, { db }: { db: Store }) {
    await requireGame(db, gameId);
    const rows = await db.read(listLeaderboardRows, gameId);
    return { success: true, leaderboards: rows.map(toLeaderboardRecord) };
  },
});
