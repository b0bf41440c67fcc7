import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  message: 'text',
  type: 'text',
  /** The seq of its event in the player's stream. */
  eventSeq: 'int',
  createdAt: 'ms',
  /** Null until delivered to a launcher. */
  deliveredAt: 'ms?',
  /** Null while unread. */
  readAt: 'ms?',
  /** Null: kept until delivered to a launcher, and some time longer. */
  expiresAt: 'ms?',
} as const;

export const notifications = table('notifications', columns, {
  key: ['id'],
  orderedById: true,
  indexes: { unread: { on: ['wallet', 'gameId', 'eventSeq'], whereNull: 'readAt' } },
  of: { player: 'wallet', game: 'gameId', texts: ['message'] },
  counted: { rows: 2, texts: ['message'] }, // and its event
});
export type NotificationRow = RowOf<typeof columns>;

/** Games whose notifications a player has turned off: launchers do not show them. */
export const mutedGames = table(
  'muted_games',
  { wallet: 'text', gameId: 'uuid', mutedAt: 'ms' },
  {
    key: ['wallet', 'gameId'],
    indexes: { byGame: { on: ['gameId', 'wallet'] } },
    of: { player: 'wallet', game: 'gameId', stays: "it is a setting of the player's launchers here" },
  },
);
