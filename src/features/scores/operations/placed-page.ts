import type { Page } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defaultLeaderboard } from '../leaderboard.ts';
import { type Board, readBoardPage } from '../leaderboard-queries.ts';
import { readLeaderboard } from '../queries.ts';
import type { PlacedScore } from '../score.ts';

/** A page of a board, with places. */
export async function placedPage(db: Store, board: Board, { limit, skip }: Page): Promise<PlacedScore[]> {
  const rows =
    board.leaderboard === defaultLeaderboard
      ? await db.read(readLeaderboard, board.gameId, { limit, skip })
      : await db.read(readBoardPage, board, { limit, skip });
  return rows.map((row, index) => ({ ...row, position: skip + index + 1 }));
}
