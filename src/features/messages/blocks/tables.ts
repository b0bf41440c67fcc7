import { nilId } from '../../../core/schemas/ids.ts';
import { type RowOf, table } from '../../../core/storage/table.ts';

/** The `gameId` of blocks that hold in every game: those made with a launcher's session. */
export const everywhere = nilId;

const columns = {
  /** The blocking player. */
  wallet: 'text',
  /** A game, or `everywhere`. */
  gameId: 'uuid',
  blocked: 'text',
  createdAt: 'ms',
} as const;

export const playerBlocks = table('player_blocks', columns, {
  key: ['wallet', 'gameId', 'blocked'],
  indexes: {
    byTime: { on: ['wallet', 'gameId', 'createdAt', 'blocked'] },
    byBlocked: { on: ['blocked', 'gameId', 'wallet'] },
    byPair: { on: ['wallet', 'blocked', 'gameId'] },
  },
  of: { player: 'wallet', names: ['blocked'], game: 'gameId' },
  // Read for every message sent.
  cachedByWriter: true,
  cacheable: 'lists',
});
export type PlayerBlockRow = RowOf<typeof columns>;

/**
 * SQL condition: the block `k` holds in this game. Not with `IN`, for which SQLite would search twice, for every message
 * of a list.
 */
export function holdsIn(game: string): string {
  return `NOT (k.game_id <> ${game} AND k.game_id <> '${everywhere}')`;
}
