import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  message: 'text',
  type: 'text',
  /** Of its event in the player's stream. */
  eventSeq: 'int',
  createdAt: 'ms',
  /** Null: no launcher was there yet to hear it. */
  deliveredAt: 'ms?',
  /** Null: unread. */
  readAt: 'ms?',
  /** Null: kept until a launcher was told, and a while longer. */
  expiresAt: 'ms?',
} as const;

export const notifications = table('notifications', columns, {
  key: ['id'],
  indexes: { unread: { on: ['wallet', 'gameId', 'eventSeq'], whereNull: 'readAt' } },
  of: { player: 'wallet', game: 'gameId', texts: ['message'] },
});
export type NotificationRow = RowOf<typeof columns>;
