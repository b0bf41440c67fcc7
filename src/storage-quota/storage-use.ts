import type { Owner } from '../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { type StorageUseRow, storageUse } from './tables.ts';

/** Bytes charged for a state, play session or message in addition to its text: the row with all its indexes. */
export const rowOverheadBytes = 512;

/** Default storage quota of a player in a game, in bytes (`STORAGE_QUOTA_MEGABYTES`). */
export const defaultStorageQuota = 64 * 1024 * 1024;

/**
 * Locks a player's storage use. A command that is going to add to it requests this lock together with its other locks,
 * which saves a round trip; in the lock order, those come first.
 */
export function lockStorageUse(tx: Tx, { gameId, wallet }: Owner): Request<StorageUseRow> {
  return tx.lock<StorageUseRow>(storageUse, [gameId, wallet], {
    gameId,
    wallet,
    bytes: 0,
    removedVersion: 0,
  });
}

/**
 * Adds `bytes`, negative to subtract, to a player's storage use in a game, in the transaction that writes the data.
 * Call it after acquiring the command's other locks.
 * @throws GantryError `storage_full` when an increase would exceed `quota`; decreases always succeed
 */
export function* addStorageUse(
  tx: Tx,
  owner: Owner,
  bytes: number,
  quota: number = defaultStorageQuota,
): Steps<void> {
  if (bytes === 0) return;
  const { gameId, wallet } = owner;
  const row = yield* bytes > 0 ? lockStorageUse(tx, owner) : tx.lock(storageUse, [gameId, wallet]);
  if (!row) return; // the player is being erased
  const total = Math.max(0, row.bytes + bytes);
  if (bytes > 0 && total > quota) {
    throw new GantryError(
      'storage_full',
      `This would use ${total} of ${quota} bytes of storage in this game: save smaller states, remove some, or unsend messages`,
    );
  }
  tx.put(storageUse, { ...row, bytes: total });
}

/** The bytes charged for a row with this text. */
export function storedBytes(text: string): number {
  return rowOverheadBytes + Buffer.byteLength(text);
}
