import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { defaultLeaderboard, labelInput, leaderboardInput, seasonInput } from '../leaderboard.ts';
import { type LeaderboardRow, leaderboardRow, type PlacedScore } from '../score.ts';
import { toLeaderboardEntry } from './to-leaderboard-entry.ts';

/** The board of a game to read. */
export const boardInput = {
  gameId: idInput,
  leaderboard: leaderboardInput,
  season: seasonInput,
  label: labelInput,
};

/** The board that an input selects. */
export function toBoardChoice(input: {
  leaderboard?: string | undefined;
  season?: number | undefined;
  label?: string | undefined;
}) {
  return {
    leaderboard: input.leaderboard ?? defaultLeaderboard,
    season: input.season,
    label: input.label,
  };
}

export const placedOutput = z.object({ success, leaderboard: z.array(leaderboardRow) });

export function toPlacedRows(rows: readonly PlacedScore[], publicUrls: PublicUrls): LeaderboardRow[] {
  return rows.map((row) => ({ ...toLeaderboardEntry(row, publicUrls), position: row.position }));
}
