import { type RowOf, table } from '../../core/storage/table.ts';

const sessionColumns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  openedAt: 'ms',
  expiresAt: 'ms',
  endedAt: 'ms?',
  endReason: 'text?',
  /** 1: present while the player's launcher is. */
  followsLauncher: 'int',
  /** An `OpenedBy`. */
  openedBy: 'text',
  /** What it counts in the game's storage quota: 0 unless the game's server opened it. */
  storedBytes: 'int',
} as const;

export const sessions = table('channel_sessions', sessionColumns, {
  key: ['id'],
  indexes: {
    byWallet: { on: ['wallet', 'openedAt', 'id'] },
    byGame: { on: ['gameId', 'openedAt', 'id'] },
    /** A wallet's sessions that have not ended; expired ones first. */
    live: { on: ['wallet', 'expiresAt', 'id'], whereNull: 'endedAt' },
    byExpiry: { on: ['expiresAt', 'id'] },
  },
  of: { player: 'wallet', game: 'gameId', stays: 'tokens are signed with the keys of this server' },
  counted: { rows: 0, bytes: 'storedBytes' },
  cacheable: 'rows',
});
export type SessionRow = RowOf<typeof sessionColumns>;

/**
 * Which players have opened which games themselves, or with a server that vouches for them: other than through a session
 * that the game's server opened for any player. Kept longer than sessions.
 */
export const openedGames = table(
  'opened_games',
  { wallet: 'text', gameId: 'uuid', openedAt: 'ms' },
  {
    key: ['wallet', 'gameId'],
    indexes: { byGame: { on: ['gameId', 'wallet'] } },
    of: { player: 'wallet', game: 'gameId', stays: 'a file could claim it of any player' },
  },
);

const signInColumns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  signRequest: 'text',
  attempts: 'int',
  expiresAt: 'ms',
  usedAt: 'ms?',
  /** The guest to upgrade; null: the wallet signs in. */
  guest: 'text?',
} as const;

export const signIns = table('sign_ins', signInColumns, {
  key: ['id'],
  indexes: { byExpiry: { on: ['expiresAt', 'id'] } },
  of: { player: 'wallet', game: 'gameId', stays: 'expires in ten minutes' },
});
export type SignInRow = RowOf<typeof signInColumns>;

/**
 * The server's own keys, encrypted: the token signing keys, and the hash of the admin token. Used only when nodes share
 * no data directory, which holds them otherwise.
 */
export const serverKeys = table(
  'server_keys',
  { name: 'text', sealed: 'text', changedAt: 'ms' },
  { key: ['name'], cacheable: 'rows' },
);

/** Sessions last announced to launchers as present, so that their absence can be announced. */
export const announcedPresent = table(
  'announced_present',
  { sessionId: 'uuid' },
  {
    key: ['sessionId'],
    indexes: { byId: { on: ['sessionId'] } },
    of: { via: { table: sessions, column: 'sessionId' }, stays: 'belongs to sessions' },
  },
);
