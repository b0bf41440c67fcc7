import { parseTransaction } from 'viem/utils';
import { explainSubmitted, storeReplacement } from './commands.ts';
import type { Lane } from './lane.ts';
import { pollsBeforeLost } from './mined-transactions.ts';
import { readLane } from './queries.ts';
import { asHex } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { feeAllowed, feeRefusal } from './spending-bounds.ts';

const rebroadcastMs = 10_000;
const transferGas = 21_000n;

/** Sees to it that what was sent and is not mined yet will be: sends it again, raises its fees, fills gaps before it. */
export class PendingTransactions {
  readonly #lane: Lane;
  /** How often the chain wanted a nonce from before the oldest of ours. */
  #pollsWithGap = 0;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Sends the newest attempt again, with higher fees when it is what holds up the others for too long. */
  async sendAgain(attempts: readonly SignedTransaction[], isNext: boolean): Promise<true> {
    const newest = attempts.at(-1);
    if (!newest) return true;
    const { stuckAfterMs } = this.#lane.parts.settings;
    const isStuck = isNext && Date.now() - newest.signedAt > stuckAfterMs;
    if (isStuck && (await this.#replace(newest))) return true;
    if (this.#lane.sinceBroadcast(newest) > Math.min(rebroadcastMs, stuckAfterMs / 2)) {
      await this.#lane.broadcast(newest);
    }
    return true;
  }

  /** False: its fee is as high as it may be, which its action says. */
  async #replace(stuck: SignedTransaction): Promise<boolean> {
    const { db, lane, node, client, account, settings } = this.#lane.parts;
    const { bounds } = settings;
    const estimated = await client.estimateFeesPerGas();
    const isUsable = feeRefusal(estimated.maxFeePerGas, bounds) === null;
    const current = isUsable ? estimated : { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    const { to, data, gas = transferGas } = parseTransaction(asHex(stuck.raw));
    // Nodes take a replacement only when it pays a tenth more.
    const maxFeePerGas = higher(raised(BigInt(stuck.maxFee)), current.maxFeePerGas);
    const maxPriorityFeePerGas = higher(raised(BigInt(stuck.priorityFee)), current.maxPriorityFeePerGas);
    const wei = gas * (maxFeePerGas - BigInt(stuck.maxFee));
    const why =
      maxFeePerGas > bounds.maxFeePerGas ? feeAllowed(bounds.maxFeePerGas) : await this.#lane.overBudget(wei);
    if (why !== null) {
      const error = `it is not mined, and its fee is not raised: ${why}`;
      await db.write(explainSubmitted, lane, node, stuck.actionId, error);
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
   * Fills nonces the chain still wants from before the oldest of ours, which would else never be mined. `mined` is the
   * first one that it has not used.
   */
  async closeGap(mined: number, open: ReadonlyMap<number, readonly SignedTransaction[]>): Promise<void> {
    const { db, lane, node, client, account, settings } = this.#lane.parts;
    const oldestOpen = Math.min(...open.keys());
    const until = Math.min(oldestOpen, (await db.read(readLane, lane)).nextNonce ?? mined);
    this.#pollsWithGap = mined < until ? this.#pollsWithGap + 1 : 0;
    if (this.#pollsWithGap < pollsBeforeLost) return;
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const wei = transferGas * maxFeePerGas;
    for (let nonce = mined; nonce < until; nonce++) {
      const why = feeRefusal(maxFeePerGas, settings.bounds) ?? (await this.#lane.overBudget(wei));
      if (why !== null) {
        const error = `an earlier nonce of the signer is missing, and is not filled: ${why}`;
        const waiting = open.get(oldestOpen)?.at(-1)?.actionId ?? '';
        await db.write(explainSubmitted, lane, node, waiting, error);
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

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
