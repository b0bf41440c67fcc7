import type { TransactionReceipt } from 'viem';
import { parseTransaction } from 'viem/utils';
import { requeueLost, settleNonce } from './commands.ts';
import type { Lane } from './lane.ts';
import { asHex, isUnreachable, revertReason, UnusableAnswerError } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';

/** How many polls in a row must find a nonce used by a foreign transaction before it counts as lost. */
export const pollsBeforeLost = 5;

/** Settles actions whose transactions are mined, by their receipts. */
export class MinedTransactions {
  readonly #lane: Lane;
  /** By nonce: in how many polls a foreign transaction had used it. */
  readonly #missedPolls = new Map<number, number>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Settles a nonce that is used on the chain, once it has enough confirmations. False: it is settled. */
  async settle(nonce: number, attempts: readonly SignedTransaction[], head: bigint): Promise<boolean> {
    const { db, lane, node, client, settings, account, onSettled } = this.#lane.options;
    const receipt = await this.#receiptOf(attempts);
    this.#lane.faultPoint('receipt read');
    if (receipt) {
      this.#missedPolls.delete(nonce);
      if (head - receipt.blockNumber + 1n < BigInt(settings.confirmations)) return true;
      const error = receipt.status === 'success' ? null : await this.#whyReverted(attempts, receipt);
      this.#lane.faultPoint('before settling');
      if (await db.write(settleNonce, lane, node, nonce, receipt.transactionHash, error)) {
        onSettled(error === null ? 'confirmed' : 'failed');
      }
      this.#lane.forgetBroadcasts(attempts);
      this.#lane.faultPoint('settled');
      return false;
    }
    const final = head - BigInt(settings.confirmations) + 1n;
    const usedUp =
      final >= 0n &&
      (await client.getTransactionCount({ address: account.address, blockNumber: final })) > nonce;
    const missed = usedUp ? (this.#missedPolls.get(nonce) ?? 0) + 1 : 0;
    this.#missedPolls.set(nonce, missed);
    if (missed < pollsBeforeLost) return true;
    this.#missedPolls.delete(nonce);
    await db.write(requeueLost, lane, node, nonce);
    return false;
  }

  async #receiptOf(attempts: readonly SignedTransaction[]): Promise<TransactionReceipt | null> {
    const { TransactionReceiptNotFoundError } = await import('viem');
    for (const { hash } of attempts) {
      const receipt = await this.#lane.options.client
        .getTransactionReceipt({ hash: asHex(hash) })
        .catch((error: unknown) => {
          if (error instanceof TransactionReceiptNotFoundError) return null;
          throw error;
        });
      if (!receipt) continue;
      if (receipt.transactionHash.toLowerCase() === hash) return receipt;
      throw new UnusableAnswerError(
        `requested the receipt of ${hash}, received that of ${receipt.transactionHash}`,
      );
    }
    return null;
  }

  /** Replays the transaction on the block before its own, to find out why it reverted. */
  async #whyReverted(attempts: readonly SignedTransaction[], receipt: TransactionReceipt): Promise<string> {
    const { client, account } = this.#lane.options;
    const raw =
      attempts.find(({ hash }) => hash === receipt.transactionHash)?.raw ?? attempts[0]?.raw ?? '0x';
    const { to, data, gas } = parseTransaction(asHex(raw));
    try {
      await client.call({
        account: account.address,
        to: to ?? null,
        data: data ?? '0x',
        ...(gas !== undefined && { gas }),
        blockNumber: receipt.blockNumber - 1n,
      });
    } catch (error) {
      if (isUnreachable(error)) throw error;
      return revertReason(error, []) ?? 'reverted';
    }
    return 'reverted';
  }
}
