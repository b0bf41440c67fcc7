import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  label: 'text',
  ipfsHash: 'text',
  /** Canonical. */
  json: 'json',
  updatedAt: 'ms',
  /** Counts the player's updates in order. */
  revision: 'int',
} as const;

export const states = table('states', columns, {
  key: ['gameId', 'wallet', 'label'],
  indexes: { byUpdate: { on: ['gameId', 'wallet', 'revision'] } },
  of: { player: 'wallet', game: 'gameId', texts: ['json'] },
});
export type StateRow = RowOf<typeof columns>;
