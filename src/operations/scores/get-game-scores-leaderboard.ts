import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { paging } from '../../domain/paging.ts';
import { type LeaderboardEntry, leaderboardEntry, type RankedScore } from '../../domain/score.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';
import { toLeaderboardEntry } from './to-leaderboard-entry.ts';

/** The answer made of a page of the store's, for as long as it is the same page. */
const answers = new WeakMap<
  readonly RankedScore[],
  Readonly<{ success: true; leaderboard: LeaderboardEntry[] }>
>();

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
    const known = answers.get(rows);
    if (known) return known;
    const leaderboard = rows.map((row) => toLeaderboardEntry(row, links));
    const answer = Object.freeze({ success: true as const, leaderboard });
    answers.set(rows, answer);
    return answer;
  },
});
