import { parseTransaction } from 'viem/utils';
import { explainAction, storeReplacement } from './commands.ts';
import type { Lane } from './lane.ts';
import { pollsBeforeLost } from './mined-transactions.ts';
import { readLane } from './queries.ts';
import { asHex } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { feeAllowed, feeRefusal, fundsRefusal } from './transaction-settings.ts';

const rebroadcastMs = 10_000;
const transferGas = 21_000n;

/** Gets pending transactions mined: resends them, raises their fees, fills nonce gaps before them. */
export class PendingTransactions {
  readonly #lane: Lane;
  /** How many polls in a row the chain has expected a nonce before the oldest pending one. */
  #pollsWithGap = 0;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Resends the newest attempt; with higher fees if it has blocked the nonces after it for too long. */
  async resend(attempts: readonly SignedTransaction[], isNext: boolean): Promise<true> {
    const newest = attempts.at(-1);
    if (!newest) return true;
    const { db, settings } = this.#lane.options;
    const { stuckAfterMs } = settings;
    const isStuck = isNext && db.now() - newest.signedAt > stuckAfterMs;
    if (isStuck && (await this.#replace(newest))) return true;
    if (this.#lane.sinceBroadcast(newest) > Math.min(rebroadcastMs, stuckAfterMs / 2)) {
      await this.#lane.broadcast(newest);
    }
    return true;
  }

  /** False: a limit forbids a higher fee, which is recorded in the action. */
  async #replace(stuck: SignedTransaction): Promise<boolean> {
    const { db, lane, node, client, account, settings } = this.#lane.options;
    const { bounds } = settings;
    const estimated = await client.estimateFeesPerGas();
    const isAcceptable = feeRefusal(estimated.maxFeePerGas, bounds) === null;
    const current = isAcceptable ? estimated : { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    const { to, data, gas = transferGas } = parseTransaction(asHex(stuck.raw));
    // Nodes accept a replacement only with a fee at least a tenth higher.
    const maxFeePerGas = max(raised(BigInt(stuck.maxFee)), current.maxFeePerGas);
    const maxPriorityFeePerGas = max(raised(BigInt(stuck.priorityFee)), current.maxPriorityFeePerGas);
    const wei = gas * (maxFeePerGas - BigInt(stuck.maxFee));
    // Nodes reject what the signer cannot pay, so that only its fee would rise until it has funds again.
    const funds = await client.getBalance({ address: account.address });
    const why =
      maxFeePerGas > bounds.maxFeePerGas
        ? feeAllowed(bounds.maxFeePerGas)
        : (fundsRefusal(gas * maxFeePerGas, funds) ?? (await this.#lane.overBudget(wei)));
    if (why !== null) {
      const error = `not mined yet, and the fee cannot be raised: ${why}`;
      await db.write(explainAction, lane, node, stuck.actionId, error);
      return false;
    }
    const replacement = await this.#lane.sign({
      actionId: stuck.actionId,
      nonce: stuck.nonce,
      to: to ?? account.address,
      data: data ?? '0x',
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    this.#lane.faultPoint('replacement signed');
    if (!(await db.write(storeReplacement, lane, node, replacement, this.#lane.cost(wei)))) return true;
    this.#lane.faultPoint('replacement stored');
    await this.#lane.broadcast(replacement);
    return true;
  }

  /**
   * Fills nonces that the chain expects before the oldest pending one, which would otherwise never be mined. `mined`:
   * the first nonce that is not used on the chain.
   */
  async closeGap(mined: number, open: ReadonlyMap<number, readonly SignedTransaction[]>): Promise<void> {
    const { db, lane, node, client, account, settings } = this.#lane.options;
    const oldestOpen = Math.min(...open.keys());
    const until = Math.min(oldestOpen, (await db.read(readLane, lane)).nextNonce ?? mined);
    this.#pollsWithGap = mined < until ? this.#pollsWithGap + 1 : 0;
    if (this.#pollsWithGap < pollsBeforeLost) return;
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const wei = transferGas * maxFeePerGas;
    for (let nonce = mined; nonce < until; nonce++) {
      const why = feeRefusal(maxFeePerGas, settings.bounds) ?? (await this.#lane.overBudget(wei));
      if (why !== null) {
        const error = `an earlier nonce of the signer is missing and cannot be filled: ${why}`;
        const waiting = open.get(oldestOpen)?.at(-1)?.actionId ?? '';
        await db.write(explainAction, lane, node, waiting, error);
        return;
      }
      const filler = await this.#lane.sign({
        actionId: '',
        nonce,
        to: account.address,
        data: '0x',
        gas: transferGas,
        maxFeePerGas,
        maxPriorityFeePerGas,
      });
      const isStored = await db.write(storeReplacement, lane, node, filler, this.#lane.cost(wei));
      if (isStored) await this.#lane.broadcast(filler);
    }
  }
}

function raised(fee: bigint): bigint {
  return (fee * 113n) / 100n + 1n;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
