import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  wallet: 'text',
  bytes: 'int',
  /**
   * The highest version of a state that the player has removed in the game. New states begin behind it, so that no label
   * ever has a version a second time, with something else under it.
   */
  removedVersion: 'int',
} as const;

/** How many bytes a player keeps in a game. The row is locked last of all that a command locks. */
export const storageUse = table('storage_use', columns, {
  key: ['gameId', 'wallet'],
  of: { player: 'wallet', game: 'gameId', stays: 'counted again from what is imported' },
});
export type StorageUseRow = RowOf<typeof columns>;
