import type { TransactionReceipt } from 'viem';
import { parseTransaction } from 'viem/utils';
import { requeueLost, settleNonce } from './commands.ts';
import type { Lane } from './lane.ts';
import { revertReason } from './revert-reason.ts';
import { asHex, isOutOfReach, UnusableAnswerError } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';

/** A nonce that is used up by nothing of ours is polled so often before that is believed. */
export const pollsBeforeLost = 5;

/** Settles the actions whose transactions are on the chain, by their receipts. */
export class MinedTransactions {
  readonly #lane: Lane;
  /** By nonce, how often it was used up by nothing of ours. */
  readonly #missedPolls = new Map<number, number>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Settles a nonce that the chain has used, once that is final. False: it is settled. */
  async settle(nonce: number, attempts: readonly SignedTransaction[], head: bigint): Promise<boolean> {
    const { db, lane, node, client, settings, account, onSettled } = this.#lane.parts;
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
      this.#lane.forget(attempts);
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
      const receipt = await this.#lane.parts.client
        .getTransactionReceipt({ hash: asHex(hash) })
        .catch((error: unknown) => {
          if (error instanceof TransactionReceiptNotFoundError) return null;
          throw error;
        });
      if (!receipt) continue;
      if (receipt.transactionHash.toLowerCase() === hash) return receipt;
      throw new UnusableAnswerError(
        `asked for the receipt of ${hash}, got that of ${receipt.transactionHash}`,
      );
    }
    return null;
  }

  /** Runs the transaction once more, on the block before its own, to hear why it reverted. */
  async #whyReverted(attempts: readonly SignedTransaction[], receipt: TransactionReceipt): Promise<string> {
    const { client, account } = this.#lane.parts;
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
      if (isOutOfReach(error)) throw error;
      return revertReason(error, []) ?? 'reverted';
    }
    return 'reverted';
  }
}
