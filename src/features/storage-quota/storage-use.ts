import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { addLocked, lockGameStorage } from './game-storage.ts';
import { rowOverheadBytes } from './row-bytes.ts';
import { type GameStorageRow, type StorageUseRow, storageUse } from './tables.ts';

/** Default storage quota of a player in a game, in bytes (`STORAGE_QUOTA_MEGABYTES`). */
export const defaultStorageQuota = 64 * 1024 * 1024;

/** `bytes` of a row that its lock has just created: not even the row itself is counted yet. */
const notCounted = -1;

/**
 * Locks a player's storage use and the game's. A command that is going to add to it requests this lock together with
 * its other locks, which saves a round trip; in the lock order, those come first.
 */
export function lockStorageUse(
  tx: Tx,
  owner: Owner,
): Request<readonly [use: StorageUseRow, inGame: GameStorageRow]> {
  return tx.all(lockUse(tx, owner), lockGameStorage(tx, owner.gameId));
}

/**
 * Adds `bytes`, negative to subtract, to a player's storage use in a game, and to the game's, in the transaction that
 * writes the data. Call it after acquiring the command's other locks.
 * @throws GantryError `storage_full` when an increase would exceed `quota` or the game's; decreases always succeed
 */
export function* addStorageUse(
  tx: Tx,
  owner: Owner,
  bytes: number,
  quota: number = defaultStorageQuota,
): Steps<void> {
  if (bytes === 0) return;
  const { gameId, wallet } = owner;
  const [row, inGame, game] = yield* tx.all(
    bytes > 0 ? lockUse(tx, owner) : tx.lock(storageUse, [gameId, wallet]),
    lockGameStorage(tx, gameId),
    tx.get(games, gameId),
  );
  if (!row) return; // the player is being erased
  const before = Math.max(0, row.bytes);
  const total = Math.max(0, before + bytes);
  if (bytes > 0 && total > quota) {
    throw new GantryError(
      'storage_full',
      `The player would use ${total} of ${quota} bytes of storage in this game: save smaller states, remove some, or unsend messages`,
    );
  }
  tx.put(storageUse, { ...row, bytes: total });
  const forRow = row.bytes === notCounted ? rowOverheadBytes : 0;
  yield* addLocked(tx, inGame, total - before + forRow, quota === Number.POSITIVE_INFINITY ? null : game);
}

function lockUse(tx: Tx, { gameId, wallet }: Owner): Request<StorageUseRow> {
  return tx.lock<StorageUseRow>(storageUse, [gameId, wallet], {
    gameId,
    wallet,
    bytes: notCounted,
    removedVersion: 0,
  });
}
