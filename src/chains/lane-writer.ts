import type { Abi, Hex, PublicClient, TransactionReceipt } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { encodeFunctionData, keccak256, parseAbi, parseTransaction } from 'viem/utils';
import { z } from 'zod';
import type { TransactionSettings } from '../config.ts';
import type { Database } from '../core/storage/database.ts';
import type { ListedAction } from '../queue/action.ts';
import { backoffMs } from '../queue/backoff.ts';
import { parseFunction, typedArguments } from './call-signature.ts';
import {
  type Cost,
  explainSubmitted,
  failAction,
  leaseLane,
  postponeAction,
  raiseNonce,
  requeueLost,
  settleNonce,
  storeReplacement,
  storeSigned,
} from './commands.ts';
import { listDueActions, listOpenTransactions, readLane } from './queries.ts';
import { asHex, isOutOfFunds, isOutOfReach, revertReason, UnusableAnswerError } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { budgetRefusal, feeAllowed, feeRefusal, gasRefusal } from './spending-bounds.ts';

/** How long a lease holds; it is prolonged with every look. Longer than the slowest look. */
const laneLeaseMs = 30_000;
/** The most transactions that are under way at once. */
const window = 64;
/** A nonce that is used up by nothing of ours is looked at so often before that is believed. */
const looksBeforeLost = 5;
const rebroadcastMs = 10_000;
const transferGas = 21_000n;

const contractCall = z.object({
  chainId: z.int(),
  contract: z.string(),
  function: z.string(),
  args: z.array(z.string()),
  errors: z.array(z.string()).default([]),
  gas: z.int().optional(),
});

/** What tests of crashes bring: the server's own start brings nothing. */
export interface ChainHooks {
  /** Called between any two steps, by name; a test ends the process there. */
  faultPoint?: (name: string) => void;
  /** How long a lease outlives its process, in milliseconds. */
  leaseMs?: number;
}

export interface LaneParts {
  lane: string;
  /** Names this process. */
  node: string;
  account: PrivateKeyAccount;
  chainId: number;
  client: PublicClient;
  db: Database;
  settings: Pick<TransactionSettings, 'confirmations' | 'stuckAfterMs' | 'bounds'>;
  hooks: ChainHooks;
  onSettled(outcome: 'confirmed' | 'failed'): void;
}

interface Ready {
  action: ListedAction;
  to: Hex;
  data: Hex;
  gas: bigint;
}

/**
 * Sends the transactions of one signer on one chain, as long as this process has the lane's lease. Whatever
 * is sent was written to the database first, so that another process, or this one after a crash, sends the very
 * same again: of all transactions with one nonce, the chain takes one.
 */
export class LaneWriter {
  readonly #parts: LaneParts;
  /** When a transaction was last sent by this process, by hash. */
  readonly #sentAt = new Map<string, number>();
  readonly #lostLooks = new Map<number, number>();
  readonly #faultPoint: (name: string) => void;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    this.#faultPoint = parts.hooks.faultPoint ?? (() => undefined);
  }

  /** One look: settles what is mined, sends again what is not, sends what is due. True: something has moved. */
  async look(): Promise<boolean> {
    const { db, lane, node } = this.#parts;
    if (!(await db.write(leaseLane, lane, node, this.#parts.hooks.leaseMs ?? laneLeaseMs))) return false;
    this.#faultPoint('leased');
    const { open, settled } = await this.#settleMined();
    const sent = await this.#sendDue(open);
    return settled + sent > 0;
  }

  /** Settles what is on the chain and sends again what is not; counts both. */
  async #settleMined(): Promise<{ open: number; settled: number }> {
    const { db, lane, client, account, node } = this.#parts;
    const byNonce = Map.groupBy(await db.read(listOpenTransactions, lane), ({ nonce }) => nonce);
    const [head, mined] = await Promise.all([
      client.getBlockNumber(),
      client.getTransactionCount({ address: account.address, blockTag: 'latest' }),
    ]);
    await this.#closeGap(mined, byNonce);
    const results = await Promise.all(
      [...byNonce].map(([nonce, attempts]) =>
        (nonce < mined
          ? this.#settle(nonce, attempts, head)
          : this.#sendAgain(attempts, nonce === mined)
        ).catch(stillOpen),
      ),
    );
    if (byNonce.size === 0) {
      const pending = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
      await db.write(raiseNonce, lane, node, pending);
    }
    const open = results.filter((isOpen) => isOpen).length;
    return { open, settled: results.length - open };
  }

  /** False: the nonce is settled. */
  async #settle(nonce: number, attempts: readonly SignedTransaction[], head: bigint): Promise<boolean> {
    const { db, lane, node, client, settings, account, onSettled } = this.#parts;
    const receipt = await this.#receiptOf(attempts);
    this.#faultPoint('receipt read');
    if (receipt) {
      this.#lostLooks.delete(nonce);
      if (head - receipt.blockNumber + 1n < BigInt(settings.confirmations)) return true;
      const error = receipt.status === 'success' ? null : await this.#whyReverted(attempts, receipt);
      this.#faultPoint('before settling');
      if (await db.write(settleNonce, lane, node, nonce, receipt.transactionHash, error)) {
        onSettled(error === null ? 'confirmed' : 'failed');
      }
      for (const { hash } of attempts) this.#sentAt.delete(hash);
      this.#faultPoint('settled');
      return false;
    }
    const final = head - BigInt(settings.confirmations) + 1n;
    const usedUp =
      final >= 0n &&
      (await client.getTransactionCount({ address: account.address, blockNumber: final })) > nonce;
    const looks = usedUp ? (this.#lostLooks.get(nonce) ?? 0) + 1 : 0;
    this.#lostLooks.set(nonce, looks);
    if (looks < looksBeforeLost) return true;
    this.#lostLooks.delete(nonce);
    await db.write(requeueLost, lane, node, nonce);
    return false;
  }

  async #receiptOf(attempts: readonly SignedTransaction[]): Promise<TransactionReceipt | null> {
    const { TransactionReceiptNotFoundError } = await import('viem');
    for (const { hash } of attempts) {
      const receipt = await this.#parts.client
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
    const { client, account } = this.#parts;
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

  /** Sends the newest attempt again, with higher fees when it is what holds up the others for too long. */
  async #sendAgain(attempts: readonly SignedTransaction[], isNext: boolean): Promise<true> {
    const newest = attempts.at(-1);
    if (!newest) return true;
    const { settings } = this.#parts;
    const now = Date.now();
    const isStuck = isNext && now - newest.signedAt > settings.stuckAfterMs;
    if (isStuck && (await this.#replace(newest))) return true;
    if (now - (this.#sentAt.get(newest.hash) ?? 0) > Math.min(rebroadcastMs, settings.stuckAfterMs / 2)) {
      await this.#broadcast(newest);
    }
    return true;
  }

  /** False: its fee is as high as it may be, which its action says. */
  async #replace(stuck: SignedTransaction): Promise<boolean> {
    const { db, lane, node, client, account, settings } = this.#parts;
    const { bounds } = settings;
    const estimated = await client.estimateFeesPerGas();
    const isUsable = feeRefusal(estimated.maxFeePerGas, bounds) === null;
    const current = isUsable ? estimated : { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    const { to, data, gas = transferGas, chainId, nonce } = parseTransaction(asHex(stuck.raw));
    // Nodes take a replacement only when it pays a tenth more.
    const maxFeePerGas = higher(raised(BigInt(stuck.maxFee)), current.maxFeePerGas);
    const maxPriorityFeePerGas = higher(raised(BigInt(stuck.priorityFee)), current.maxPriorityFeePerGas);
    const wei = gas * (maxFeePerGas - BigInt(stuck.maxFee));
    const why =
      maxFeePerGas > bounds.maxFeePerGas ? feeAllowed(bounds.maxFeePerGas) : await this.#overBudget(wei);
    if (why !== null) {
      const error = `it is not mined, and its fee is not raised: ${why}`;
      await db.write(explainSubmitted, lane, node, stuck.actionId, error);
      return false;
    }
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: chainId ?? this.#parts.chainId,
      nonce: nonce ?? stuck.nonce,
      to: to ?? account.address,
      data: data ?? '0x',
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    const replacement = signedTransaction(
      raw,
      stuck.nonce,
      stuck.actionId,
      maxFeePerGas,
      maxPriorityFeePerGas,
    );
    this.#faultPoint('replacement signed');
    if (!(await db.write(storeReplacement, lane, node, replacement, this.#cost(wei)))) return true;
    this.#faultPoint('replacement stored');
    await this.#broadcast(replacement);
    return true;
  }

  /** Why the day's budget has no room for so many wei; null: it has. */
  async #overBudget(wei: bigint): Promise<string | null> {
    const { db, lane, chainId, settings } = this.#parts;
    const { spentWei } = await db.read(readLane, lane);
    const left = settings.bounds.dailyWei - BigInt(spentWei);
    return budgetRefusal(wei, { left, chainId }, settings.bounds);
  }

  #cost(wei: bigint): Cost {
    return { wei: String(wei), dailyWei: String(this.#parts.settings.bounds.dailyWei) };
  }

  /** Fills nonces the chain still wants from before the oldest of ours, which would else never be mined. */
  async #closeGap(mined: number, open: ReadonlyMap<number, readonly SignedTransaction[]>): Promise<void> {
    const { db, lane, node, client, account, chainId, settings } = this.#parts;
    const oldestOpen = Math.min(...open.keys());
    const until = Math.min(oldestOpen, (await db.read(readLane, lane)).nextNonce ?? mined);
    const looks = mined < until ? (this.#lostLooks.get(-1) ?? 0) + 1 : 0;
    this.#lostLooks.set(-1, looks);
    if (looks < looksBeforeLost) return;
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const wei = transferGas * maxFeePerGas;
    for (let nonce = mined; nonce < until; nonce++) {
      const why = feeRefusal(maxFeePerGas, settings.bounds) ?? (await this.#overBudget(wei));
      if (why !== null) {
        const error = `an earlier nonce of the signer is missing, and is not filled: ${why}`;
        const waiting = open.get(oldestOpen)?.at(-1)?.actionId ?? '';
        await db.write(explainSubmitted, lane, node, waiting, error);
        return;
      }
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        to: account.address,
        gas: transferGas,
        maxFeePerGas,
        maxPriorityFeePerGas,
      });
      const filler = signedTransaction(raw, nonce, '', maxFeePerGas, maxPriorityFeePerGas);
      const isStored = await db.write(storeReplacement, lane, node, filler, this.#cost(wei));
      if (isStored) await this.#broadcast(filler);
    }
  }

  /** Signs and sends what is due, as far as the window reaches; counts it. */
  async #sendDue(open: number): Promise<number> {
    const { db, lane, node, client, account, chainId, settings } = this.#parts;
    const { bounds } = settings;
    const due = await db.read(listDueActions, lane, Math.max(0, window - open));
    if (due.length === 0) return 0;
    this.#faultPoint('due read');
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const tooExpensive = feeRefusal(maxFeePerGas, bounds);
    if (tooExpensive !== null) {
      await Promise.all(due.map((action) => this.#postpone(action, `${tooExpensive}; it is tried again`)));
      return 0;
    }
    const ready = await Promise.all(due.map((action) => this.#prepare(action)));
    this.#faultPoint('prepared');
    const { nextNonce, spentWei } = await db.read(readLane, lane);
    let left = bounds.dailyWei - BigInt(spentWei);
    let nonce = nextNonce;
    if (nonce === null) {
      nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
      await db.write(raiseNonce, lane, node, nonce);
    }
    const transactions: { transaction: SignedTransaction; wei: bigint }[] = [];
    for (const one of ready) {
      if (!one) continue;
      const { action, to, data, gas } = one;
      const wei = gas * maxFeePerGas;
      const overBudget = budgetRefusal(wei, { left, chainId }, bounds);
      if (overBudget !== null) {
        await this.#postpone(action, `${overBudget}; it is tried again`);
        continue;
      }
      left -= wei;
      const terms = { maxFeePerGas, maxPriorityFeePerGas };
      const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, data, gas, ...terms });
      const { _id: actionId } = action;
      const transaction = signedTransaction(raw, nonce++, actionId, maxFeePerGas, maxPriorityFeePerGas);
      transactions.push({ transaction, wei });
      this.#faultPoint('signed');
    }
    // In the order of the nonces, and in one batch: where one is refused, so are those after it.
    const stored = await Promise.all(
      transactions.map(({ transaction, wei }) =>
        db.write(storeSigned, lane, node, transaction, this.#cost(wei)),
      ),
    );
    this.#faultPoint('stored');
    for (const [at, { transaction }] of transactions.entries()) {
      if (!stored[at]) break;
      await this.#broadcast(transaction);
    }
    return stored.filter(Boolean).length;
  }

  /** What an action is sent as; null when it cannot be sent, now or ever. */
  async #prepare(action: ListedAction): Promise<Ready | null> {
    const { client, account, settings } = this.#parts;
    let abi: Abi = [];
    try {
      const call = contractCall.parse(action.payload);
      abi = [parseFunction(call.function), ...(parseAbi(call.errors) as Abi)];
      const data = encodeFunctionData({ abi, args: typedArguments(call.function, call.args) });
      const to = asHex(call.contract);
      const needed =
        call.gas === undefined
          ? await client.estimateGas({ account: account.address, to, data })
          : BigInt(call.gas);
      const refusal = gasRefusal(needed, settings.bounds);
      if (refusal !== null) {
        await this.#fail(action, refusal);
        return null;
      }
      const { maxGas } = settings.bounds;
      const spacious = (needed * 12n) / 10n;
      return { action, to, data, gas: call.gas === undefined ? lower(spacious, maxGas) : needed };
    } catch (error) {
      if (isOutOfReach(error)) return null; // the next look tries again
      const reverted = isOutOfFunds(error) ? null : revertReason(error, abi);
      if (isOutOfFunds(error)) await this.#postpone(action, 'the signer has too little to pay the fees');
      else if (reverted === null && action.attempts < 5) await this.#postpone(action, firstLine(error));
      else await this.#fail(action, reverted ?? firstLine(error));
      return null;
    }
  }

  async #postpone({ _id, attempts }: ListedAction, error: string): Promise<void> {
    const { db, lane, node } = this.#parts;
    await db.write(postponeAction, lane, node, _id, error, Date.now() + backoffMs(attempts + 1));
  }

  async #fail({ _id }: ListedAction, error: string): Promise<void> {
    const { db, lane, node, onSettled } = this.#parts;
    if (await db.write(failAction, lane, node, _id, error)) onSettled('failed');
  }

  /** Sends a transaction that is in the database. Whatever is answered, the next looks find out what became of it. */
  async #broadcast({ hash, raw }: SignedTransaction): Promise<void> {
    this.#sentAt.set(hash, Date.now());
    this.#faultPoint('before sending');
    await this.#parts.client.sendRawTransaction({ serializedTransaction: asHex(raw) }).catch(() => undefined);
    this.#faultPoint('sent');
  }
}

/** A server that fails one call has not failed those of the other nonces: this one is looked at again. */
function stillOpen(error: unknown): true {
  if (isOutOfReach(error)) return true;
  throw error;
}

function signedTransaction(
  raw: Hex,
  nonce: number,
  actionId: string,
  maxFee: bigint,
  priorityFee: bigint,
): SignedTransaction {
  return {
    hash: keccak256(raw),
    nonce,
    actionId,
    raw,
    maxFee: String(maxFee),
    priorityFee: String(priorityFee),
    signedAt: Date.now(),
  };
}

function raised(fee: bigint): bigint {
  return (fee * 113n) / 100n + 1n;
}

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
