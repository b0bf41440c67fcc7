import { type RowOf, table } from '../../../core/storage/table.ts';

const columns = {
  /** The blocking player. */
  wallet: 'text',
  gameId: 'uuid',
  blocked: 'text',
  createdAt: 'ms',
} as const;

export const playerBlocks = table('player_blocks', columns, {
  key: ['wallet', 'gameId', 'blocked'],
  indexes: {
    byTime: { on: ['wallet', 'gameId', 'createdAt', 'blocked'] },
    byBlocked: { on: ['blocked', 'gameId', 'wallet'] },
  },
  of: { player: 'wallet', names: ['blocked'], game: 'gameId' },
  // Read for every message sent.
  cachedByWriter: true,
  cacheable: 'lists',
});
export type PlayerBlockRow = RowOf<typeof columns>;
