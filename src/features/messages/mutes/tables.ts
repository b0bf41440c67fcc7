import { type RowOf, table } from '../../../core/storage/table.ts';

const columns = {
  wallet: 'text',
  gameId: 'uuid',
  /** Empty for all of the game's channels. */
  channelId: 'text',
  /** Each muter can end only their own mutes: see `Muter`. */
  mutedBy: 'text',
  until: 'ms',
  reason: 'text',
  createdAt: 'ms',
} as const;

export const playerMutes = table('player_mutes', columns, {
  key: ['wallet', 'gameId', 'channelId', 'mutedBy'],
  indexes: {
    byWallet: { on: ['wallet', 'gameId', 'channelId', 'mutedBy'] },
    byEnd: { on: ['until', 'wallet', 'gameId', 'channelId', 'mutedBy'] },
  },
  of: { player: 'wallet', game: 'gameId', texts: ['reason'] },
  // Read for every message sent.
  cachedByWriter: true,
  cacheable: 'lists',
});
export type PlayerMuteRow = RowOf<typeof columns>;
