import type { Steps, Tx } from '../../core/storage/command.ts';
import { rowOverheadBytes } from '../storage-quota/row-bytes.ts';
import { addStorageUse } from '../storage-quota/storage-use.ts';
import { storageUse } from '../storage-quota/tables.ts';
import { maxReactions } from './reaction.ts';
import { type MessageRow, messageReactions } from './tables.ts';

/**
 * Removes the reactions to a deleted message from storage and from their players' quotas. Its channel must be locked.
 */
export function* removeReactionsTo(tx: Tx, { id }: MessageRow, gameId: string): Steps<void> {
  const rows = yield* tx.list(messageReactions.byMessage, [id], { limit: maxReactions });
  for (const row of rows) tx.remove(messageReactions, row);
  const byWallet = Map.groupBy(rows, ({ wallet }) => wallet);
  const wallets = [...byWallet.keys()].toSorted();
  yield* tx.all(...wallets.map((wallet) => tx.lock(storageUse, [gameId, wallet])));
  for (const wallet of wallets) {
    const bytes = (byWallet.get(wallet)?.length ?? 0) * rowOverheadBytes;
    yield* addStorageUse(tx, { gameId, wallet }, -bytes);
  }
}
