import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  version: 'text',
  notes: 'text',
  /** Empty: none. */
  url: 'text',
  /** 0 or 1. */
  required: 'int',
  /** Each later than the one before it. */
  publishedAt: 'ms',
} as const;

export const releases = table('releases', columns, {
  key: ['gameId', 'version'],
  indexes: { byPublication: { on: ['gameId', 'publishedAt', 'version'] } },
  of: { game: 'gameId' },
  cacheable: 'lists',
});
export type ReleaseRow = RowOf<typeof columns>;
