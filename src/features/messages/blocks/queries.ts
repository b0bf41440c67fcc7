import type { Owner } from '../../../core/schemas/owner.ts';
import type { Page, Paged } from '../../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../../core/storage/query.ts';
import type { BlockedPlayer } from './block.ts';
import { playerBlocks } from './tables.ts';

/** The players that a player has blocked in the game, most recent first. */
export const listBlocked = query(
  'listBlocked',
  function* (read, { gameId, wallet }: Owner, { limit, skip }: Page): ReadSteps<Paged<BlockedPlayer>> {
    const rows = yield* read.all(selectBlocked, { gameId, wallet, limit, skip });
    const total = yield* read.count(playerBlocks.byTime, [wallet, gameId]);
    return { total, rows: [...rows] };
  },
);

const selectBlocked = statement<
  { gameId: string; wallet: string; limit: number; skip: number },
  BlockedPlayer
>(
  `SELECT b.blocked AS wallet, coalesce(p.username, '') AS username, b.created_at AS "createdAt"
    FROM player_blocks AS b LEFT JOIN players AS p ON p.wallet = b.blocked
    WHERE b.wallet = @wallet AND b.game_id = @gameId
    ORDER BY b.created_at DESC, b.blocked DESC LIMIT @limit OFFSET @skip`,
);
