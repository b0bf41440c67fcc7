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

const guestColumns = {
  /** As `newGuestAddress` makes it. */
  address: 'text',
  /** Whose it is: the address itself and, once it is upgraded, the wallet. */
  wallet: 'text',
  /** The game whose server vouches for the player; null: the player has devices. */
  vouchedBy: 'uuid?',
  /** What that server calls the player: see `playerKeyOf`. */
  playerKey: 'text?',
  createdAt: 'ms',
  upgradedAt: 'ms?',
  /** When it is looked at whether the guest ever did anything; `never` once that is known. */
  sweepAt: 'ms',
} as const;

/** Players without a wallet, those who have one by now included. */
export const guests = table('guests', guestColumns, {
  key: ['address'],
  indexes: {
    byPlayer: { on: ['vouchedBy', 'playerKey'], unique: true },
    bySweep: { on: ['sweepAt', 'address'] },
  },
  of: { player: 'wallet', stays: 'devices sign in to this server' },
  remembered: 'rows',
});
export type GuestRow = RowOf<typeof guestColumns>;

const deviceColumns = {
  id: 'uuid',
  wallet: 'text',
  /** Hex SHA-256 of the secret. */
  secretHash: 'text',
  name: 'text',
  createdAt: 'ms',
  lastUsedAt: 'ms',
} as const;

/** What a guest signs in with. Those of a guest who was upgraded open nothing any more. */
export const guestDevices = table('guest_devices', deviceColumns, {
  key: ['id'],
  indexes: {
    bySecret: { on: ['secretHash'], unique: true },
    byWallet: { on: ['wallet', 'id'] },
  },
  of: { player: 'wallet', stays: 'devices sign in to this server' },
});
export type GuestDeviceRow = RowOf<typeof deviceColumns>;
