import type { Owner } from '../core/schemas/owner.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { storageUse } from './tables.ts';

/** What a state, a play session or a message counts beside its text: its row, with all indexes. In bytes. */
export const countedRowBytes = 512;

/** The most bytes that a player keeps in a game, where nothing else is set (`STORAGE_QUOTA_MEGABYTES`). */
export const defaultStorageQuota = 64 * 1024 * 1024;

/**
 * Counts what a player keeps more in a game, or less (below 0), in the transaction that writes it. To be called behind
 * the command's other locks.
 * @throws GantryError `storage_full` when it is more than `quota` with it; what takes no more than before always fits
 */
export function* countStored(
  tx: Tx,
  { gameId, wallet }: Owner,
  bytes: number,
  quota: number = defaultStorageQuota,
): Steps<void> {
  if (bytes === 0) return;
  const key = [gameId, wallet];
  const row =
    bytes > 0
      ? yield* tx.lock(storageUse, key, { gameId, wallet, bytes: 0 })
      : yield* tx.lock(storageUse, key);
  if (!row) return; // of a player who is being erased
  const total = Math.max(0, row.bytes + bytes);
  if (bytes > 0 && total > quota) {
    throw new GantryError(
      'storage_full',
      `You would keep ${total} bytes in this game, of ${quota}: save smaller states, or unsend messages`,
    );
  }
  tx.put(storageUse, { ...row, bytes: total });
}

/** The bytes of a row that counts, with this text in it. */
export function countedBytes(text: string): number {
  return countedRowBytes + Buffer.byteLength(text);
}
