import type { Owner } from '../../../core/schemas/owner.ts';
import type { Page, Paged } from '../../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../../core/storage/query.ts';
import type { BlockedPlayer, Blocker } from './block.ts';
import { everywhere, holdsIn, playerBlocks } from './tables.ts';

/** The players that a player has blocked in the game or in every game, most recent first; in a launcher only the latter. */
export const listBlocked = query(
  'listBlocked',
  function* (read, blocker: Blocker, { limit, skip }: Page): ReadSteps<Paged<BlockedPlayer>> {
    const of = { wallet: blocker.wallet, gameId: blocker.everywhere ? everywhere : blocker.gameId };
    const rows = yield* read.all(selectBlocked, { ...of, limit, skip });
    const total = (yield* read.first(countBlocked, of))?.count ?? 0;
    return {
      total,
      rows: rows.map(({ everywhere: held, ...row }) => (held === 1 ? { ...row, everywhere: true } : row)),
    };
  },
);

/** Whether a player blocks another in a game; who blocks a friend in every game has ended the friendship. */
export const blocksInGame = query(
  'blocksInGame',
  function* (read, { gameId, wallet }: Owner, other: string): ReadSteps<boolean> {
    return (yield* read.get(playerBlocks, wallet, gameId, other)) !== undefined;
  },
);

// A player who is blocked in the game and in every game is listed once.
const ofBlocker = `k.wallet = @wallet AND ${holdsIn('@gameId')} AND (k.game_id = '${everywhere}' OR NOT EXISTS (
  SELECT 1 FROM player_blocks AS e
  WHERE e.wallet = k.wallet AND e.blocked = k.blocked AND e.game_id = '${everywhere}'))`;
const countBlocked = statement<{ gameId: string; wallet: string }, { count: number }>(
  `SELECT count(*) AS count FROM player_blocks AS k WHERE ${ofBlocker}`,
);
const selectBlocked = statement<
  { gameId: string; wallet: string; limit: number; skip: number },
  Omit<BlockedPlayer, 'everywhere'> & { everywhere: number }
>(
  `SELECT k.blocked AS wallet, coalesce(p.username, '') AS username, k.created_at AS "createdAt",
      CASE WHEN k.game_id = '${everywhere}' THEN 1 ELSE 0 END AS everywhere
    FROM player_blocks AS k LEFT JOIN players AS p ON p.wallet = k.blocked
    WHERE ${ofBlocker}
    ORDER BY k.created_at DESC, k.blocked DESC LIMIT @limit OFFSET @skip`,
);
