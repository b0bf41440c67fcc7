import { type RowOf, table } from '../core/storage/table.ts';

const columns = { gameId: 'uuid', wallet: 'text', bytes: 'int' } as const;

/** How many bytes a player keeps in a game. The row is locked last of all that a command locks. */
export const storageUse = table('storage_use', columns, {
  key: ['gameId', 'wallet'],
  of: { player: 'wallet', game: 'gameId', stays: 'counted again from what is imported' },
});
export type StorageUseRow = RowOf<typeof columns>;
