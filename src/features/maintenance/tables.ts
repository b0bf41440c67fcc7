import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  /** The game's id; `all` for the maintenance of all games. */
  scope: 'text',
  /** Null: all games. */
  gameId: 'uuid?',
  startsAt: 'ms',
  until: 'ms',
  message: 'text',
  /** When to announce it next: now, after it was set or ended, then when it begins and when it is over. */
  announceAt: 'ms',
  updatedAt: 'ms',
} as const;

/** Planned and current maintenance, at most one of each game and one of all; removed when its end was announced. */
export const maintenance = table('maintenance', columns, {
  key: ['scope'],
  indexes: { inOrder: { on: ['scope'] } },
  of: { game: 'gameId', stays: 'it is of this server' },
  cacheable: 'lists',
});
export type MaintenanceRow = RowOf<typeof columns>;
