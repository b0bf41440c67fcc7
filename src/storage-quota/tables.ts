import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  wallet: 'text',
  bytes: 'int',
  /**
   * The highest version of any state that the player has removed in the game. New states start above it, so that a
   * version of a label is never reused for different content.
   */
  removedVersion: 'int',
} as const;

/** The bytes that a player stores in a game. In the lock order of commands, this row is last. */
export const storageUse = table('storage_use', columns, {
  key: ['gameId', 'wallet'],
  of: { player: 'wallet', game: 'gameId', stays: 'counted again from what is imported' },
});
export type StorageUseRow = RowOf<typeof columns>;
