import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  wallet: 'text',
  /** `notCounted` in a row that its lock has just created. */
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
  counted: { rows: 1, bytes: 'bytes' },
});
export type StorageUseRow = RowOf<typeof columns>;

const gameColumns = {
  gameId: 'uuid',
  /** See `Context.writer`. */
  writer: 'int',
  /** Negative when this writer has removed more than it has added. */
  bytes: 'int',
  /** The bytes counted by all other writers, as of `othersAt`. */
  others: 'int',
  othersAt: 'ms',
} as const;

/** The bytes that a game stores: the sum over all writers. Each changes only its own row, so they never wait for it. */
export const gameStorage = table('game_storage', gameColumns, {
  key: ['gameId', 'writer'],
  indexes: { byGame: { on: ['gameId', 'writer'] } },
  of: { game: 'gameId', stays: 'counted again from what is imported' },
  cachedByWriter: true,
});
export type GameStorageRow = RowOf<typeof gameColumns>;
