import type { Owner } from '../core/schemas/owner.ts';
import type { Request, Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { type StorageUseRow, storageUse } from './tables.ts';

/** What a state, a play session or a message counts beside its text: its row, with all indexes. In bytes. */
export const countedRowBytes = 512;

/** The most bytes that a player keeps in a game, where nothing else is set (`STORAGE_QUOTA_MEGABYTES`). */
export const defaultStorageQuota = 64 * 1024 * 1024;

/**
 * Has a player's count to itself. A command that is going to count more asks for it together with its other locks, which
 * saves it a round trip; those come first in the order of locks, here as on their own.
 */
export function lockStored(tx: Tx, { gameId, wallet }: Owner): Request<StorageUseRow> {
  return tx.lock<StorageUseRow>(storageUse, [gameId, wallet], {
    gameId,
    wallet,
    bytes: 0,
    removedVersion: 0,
  });
}

/**
 * Counts what a player keeps more in a game, or less (below 0), in the transaction that writes it. To be called behind
 * the command's other locks.
 * @throws GantryError `storage_full` when it is more than `quota` with it; what takes no more than before always fits
 */
export function* countStored(
  tx: Tx,
  owner: Owner,
  bytes: number,
  quota: number = defaultStorageQuota,
): Steps<void> {
  if (bytes === 0) return;
  const { gameId, wallet } = owner;
  const row = yield* bytes > 0 ? lockStored(tx, owner) : tx.lock(storageUse, [gameId, wallet]);
  if (!row) return; // of a player who is being erased
  const total = Math.max(0, row.bytes + bytes);
  if (bytes > 0 && total > quota) {
    throw new GantryError(
      'storage_full',
      `You would keep ${total} bytes in this game, of ${quota}: save smaller states, remove some, or unsend messages`,
    );
  }
  tx.put(storageUse, { ...row, bytes: total });
}

/** The bytes of a row that counts, with this text in it. */
export function countedBytes(text: string): number {
  return countedRowBytes + Buffer.byteLength(text);
}
