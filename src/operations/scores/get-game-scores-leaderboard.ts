import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { paging } from '../../domain/paging.ts';
import { leaderboardEntry } from '../../domain/score.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';
import { toLeaderboardEntry } from './to-leaderboard-entry.ts';

export const getGameScoresLeaderboard = defineOperation({
  name: 'getGameScoresLeaderboard',
  service: 'scores',
  kind: 'read',
  summary: 'Read the leaderboard of a game: one row a player, the best first',
  auth: 'public',
  input: z.object({ gameId: idInput, ...paging }),
  output: z.object({ success, leaderboard: z.array(leaderboardEntry) }),
  async handler({ input }, { store, links }) {
    await requireGame(store, input.gameId);
    const rows = await store.scores.leaderboard(input.gameId, input);
    return { success: true, leaderboard: rows.map((row) => toLeaderboardEntry(row, links)) };
  },
});
