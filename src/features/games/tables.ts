import { type RowOf, table } from '../../core/storage/table.ts';

const gameColumns = {
  id: 'uuid',
  slug: 'text',
  name: 'text',
  kind: 'text',
  url: 'text',
  allowedOrigins: 'json',
  policies: 'json',
  rules: 'json',
  rulesVersion: 'int',
  createdAt: 'ms',
  listing: 'text',
  image: 'text',
  sortOrder: 'int',
} as const;

export const games = table('games', gameColumns, {
  key: ['id'],
  indexes: { bySlug: { on: ['slug'], unique: true }, byKind: { on: ['kind', 'id'] } },
  of: { game: 'id' },
  cachedByWriter: true,
  cacheable: 'rows',
});
export type GameRow = RowOf<typeof gameColumns>;

/** Games that are being deleted: archived until the row is removed, with the game. */
export const gameErasures = table(
  'game_erasures',
  { gameId: 'uuid', dueAt: 'ms' },
  {
    key: ['gameId'],
    indexes: { byDue: { on: ['dueAt', 'gameId'] } },
    of: { game: 'gameId', stays: 'this server completes the deletion' },
  },
);

const secretColumns = {
  /** Hex SHA-256 of the secret. */
  hash: 'text',
  gameId: 'uuid',
  sealedMd5: 'text',
  sealedSecret: 'text',
  createdAt: 'ms',
  /** Null: not until it is rotated or revoked. */
  expiresAt: 'ms?',
} as const;

export const gameSecrets = table('game_secrets', secretColumns, {
  key: ['hash'],
  indexes: { byGame: { on: ['gameId', 'hash'] } },
  of: { game: 'gameId' },
  cacheable: 'lists',
});
export type GameSecretRow = RowOf<typeof secretColumns>;

/** Nonces of signed requests that have been used, so that none is accepted twice. */
export const requestNonces = table(
  'request_nonces',
  { gameId: 'uuid', nonce: 'text', seenAt: 'ms' },
  { key: ['gameId', 'nonce'], of: { game: 'gameId' } },
);

const detailColumns = {
  gameId: 'uuid',
  description: 'text',
  tags: 'json',
  media: 'json',
  ageRating: 'text',
} as const;

/** What the page of a game shows; apart from `games`, whose rows are read with every call. Without any, no row. */
export const gameDetails = table('game_details', detailColumns, {
  key: ['gameId'],
  of: { game: 'gameId' },
});
export type GameDetailRow = RowOf<typeof detailColumns>;

const favoriteColumns = { wallet: 'text', gameId: 'uuid', createdAt: 'ms' } as const;

export const gameFavorites = table('game_favorites', favoriteColumns, {
  key: ['wallet', 'gameId'],
  indexes: {
    byTime: { on: ['wallet', 'createdAt', 'gameId'] },
    byGame: { on: ['gameId', 'wallet'] },
  },
  of: { player: 'wallet', game: 'gameId' },
});
