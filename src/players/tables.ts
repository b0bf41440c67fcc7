import { type RowOf, table } from '../core/storage/table.ts';

const playerColumns = {
  wallet: 'text',
  userId: 'uuid',
  username: 'text',
  avatar: 'text',
  createdAt: 'ms',
} as const;

export const players = table('players', playerColumns, {
  key: ['wallet'],
  of: { player: 'wallet' },
  remembered: 'rows',
});
export type PlayerRow = RowOf<typeof playerColumns>;

/** `gameId` '' bans from every game. */
export const bans = table(
  'bans',
  { wallet: 'text', gameId: 'text', reason: 'text', at: 'ms' },
  {
    key: ['wallet', 'gameId'],
    indexes: { byWallet: { on: ['wallet', 'gameId'] }, byGame: { on: ['gameId', 'wallet'] } },
    of: { player: 'wallet', game: 'gameId' },
    kept: true,
    remembered: 'lists',
  },
);
