import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  label: 'text',
  ipfsHash: 'text',
  /** Canonical. */
  json: 'json',
  updatedAt: 'ms',
  /** Sequence number of the player's updates in the game. */
  revision: 'int',
  /** Counts this state's writes; starts after `removedVersion` of `storageUse`. */
  version: 'int',
  /** 1: private; null: other players of the game may read it. */
  isPrivate: 'int?',
} as const;

export const states = table('states', columns, {
  key: ['gameId', 'wallet', 'label'],
  indexes: {
    byUpdate: { on: ['gameId', 'wallet', 'revision'] },
    public: { on: ['gameId', 'wallet', 'label'], whereNull: 'isPrivate' },
  },
  of: { player: 'wallet', game: 'gameId', texts: ['json'] },
});
export type StateRow = RowOf<typeof columns>;
