import { z } from 'zod';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import { pagingOf } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operations/define.ts';
import type { PublicUrls } from '../../public-urls.ts';
import { readLeaderboard } from '../queries.ts';
import { type LeaderboardEntry, leaderboardEntry, type RankedScore } from '../score.ts';
import { toLeaderboardEntry } from './to-leaderboard-entry.ts';

/** The answer made of a page of the database's, for as long as it is the same page. */
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
  input: z.object({ gameId: idInput, ...pagingOf() }),
  output: z.object({ success, leaderboard: z.array(leaderboardEntry) }),
  async handler({ input }, { db, links }: { db: Database; links: PublicUrls }) {
    await requireGame(db, input.gameId);
    const rows = await db.read(readLeaderboard, input.gameId, input);
    const known = answers.get(rows);
    if (known) return known;
    const leaderboard = rows.map((row) => toLeaderboardEntry(row, links));
    const answer = Object.freeze({ success: true as const, leaderboard });
    answers.set(rows, answer);
    return answer;
  },
});
