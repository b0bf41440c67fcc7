import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  wallet: 'text',
  gameId: 'uuid',
  /** Empty: in all of the game's channels. */
  channelId: 'text',
  /** Each of them ends only their own: see `Muter`. */
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
  // Asked with every message that is sent.
  kept: true,
  remembered: 'lists',
});
export type PlayerMuteRow = RowOf<typeof columns>;
