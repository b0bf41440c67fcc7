import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { rowsCost } from '../../cost.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { defaultLeaderboard, labelInput, leaderboardInput, seasonInput } from '../leaderboard.ts';
import { readBoardPage } from '../leaderboard-queries.ts';
import { readLeaderboard } from '../queries.ts';
import { requireBoard } from '../require-board.ts';
import { type LeaderboardEntry, leaderboardEntry, type RankedScore } from '../score.ts';
import { toLeaderboardEntry } from './to-leaderboard-entry.ts';

/** The response built from a cached page, kept for as long as that page is. */
const responses = new WeakMap<
  readonly RankedScore[],
  Readonly<{ success: true; leaderboard: LeaderboardEntry[] }>
>();

export const getGameScoresLeaderboard = defineOperation({
  name: 'getGameScoresLeaderboard',
  service: 'scores',
  kind: 'read',
  summary:
    'Read a leaderboard of a game, the best first: `default` or another, in any season, all or by label',
  auth: 'public',
  input: z.object({
    gameId: idInput,
    ...pagingOf(),
    leaderboard: leaderboardInput,
    season: seasonInput,
    label: labelInput,
  }),
  cost: rowsCost(50),
  output: z.object({ success, leaderboard: z.array(leaderboardEntry) }),
  async handler({ input }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const game = await requireGame(db, input.gameId);
    const { leaderboard: name = defaultLeaderboard, season, label } = input;
    const isDefault = name === defaultLeaderboard && season === undefined && label === undefined;
    const rows = isDefault
      ? await db.read(readLeaderboard, input.gameId, input)
      : await db.read(
          readBoardPage,
          await requireBoard(db, game, { leaderboard: name, season, label }, { isPublic: true }),
          input,
        );
    const cached = responses.get(rows);
    if (cached) return cached;
    const leaderboard = rows.map((row) => toLeaderboardEntry(row, publicUrls));
    const response = Object.freeze({ success: true as const, leaderboard });
    responses.set(rows, response);
    return response;
  },
});
