import type { Abi, Hex, PublicClient, TransactionReceipt } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { encodeFunctionData, keccak256, parseAbi, parseTransaction } from 'viem/utils';
import { z } from 'zod';
import type { TransactionSettings } from '../../config.ts';
import { backoffMs } from '../../queue/backoff.ts';
import type { ChainLaneStore, QueuedAction, SignedTransaction } from '../../store/store.ts';
import { parseFunction, typedArguments } from './call-signature.ts';
import { asHex, isOutOfFunds, isOutOfReach, revertReason } from './rpc-errors.ts';

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
  store: ChainLaneStore;
  settings: Pick<TransactionSettings, 'confirmations' | 'stuckAfterMs'>;
  hooks: ChainHooks;
  onSettled(outcome: 'confirmed' | 'failed'): void;
}

interface Ready {
  action: QueuedAction;
  to: Hex;
  data: Hex;
  gas: bigint;
}

/**
 * Sends the transactions of one signer on one chain, as long as this process has the lane's lease. Whatever
 * is sent was written to the store first, so that another process, or this one after a crash, sends the very
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
    const { store, lane, node } = this.#parts;
    if (!(await store.lease(lane, node, this.#parts.hooks.leaseMs ?? laneLeaseMs))) return false;
    this.#faultPoint('leased');
    const { open, settled } = await this.#settleMined();
    const sent = await this.#sendDue(open);
    return settled + sent > 0;
  }

  /** Settles what is on the chain and sends again what is not; counts both. */
  async #settleMined(): Promise<{ open: number; settled: number }> {
    const { store, lane, client, account, node } = this.#parts;
    const byNonce = Map.groupBy(await store.open(lane), ({ nonce }) => nonce);
    const [head, mined] = await Promise.all([
      client.getBlockNumber(),
      client.getTransactionCount({ address: account.address, blockTag: 'latest' }),
    ]);
    await this.#closeGap(mined, Math.min(...byNonce.keys()));
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
      await store.raiseNonce(lane, node, pending);
    }
    const open = results.filter((isOpen) => isOpen).length;
    return { open, settled: results.length - open };
  }

  /** False: the nonce is settled. */
  async #settle(nonce: number, attempts: readonly SignedTransaction[], head: bigint): Promise<boolean> {
    const { store, lane, node, client, settings, account, onSettled } = this.#parts;
    const receipt = await this.#receiptOf(attempts);
    this.#faultPoint('receipt read');
    if (receipt) {
      this.#lostLooks.delete(nonce);
      if (head - receipt.blockNumber + 1n < BigInt(settings.confirmations)) return true;
      const error = receipt.status === 'success' ? null : await this.#whyReverted(attempts, receipt);
      this.#faultPoint('before settling');
      if (await store.settle(lane, node, nonce, receipt.transactionHash, error)) {
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
    await store.requeueLost(lane, node, nonce);
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
      if (receipt) return receipt;
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
    if (isNext && now - newest.signedAt > settings.stuckAfterMs) {
      await this.#replace(newest);
    } else if (
      now - (this.#sentAt.get(newest.hash) ?? 0) >
      Math.min(rebroadcastMs, settings.stuckAfterMs / 2)
    ) {
      await this.#broadcast(newest);
    }
    return true;
  }

  async #replace(stuck: SignedTransaction): Promise<void> {
    const { store, lane, node, client, account } = this.#parts;
    const current = await client.estimateFeesPerGas();
    const { to, data, gas, chainId, nonce } = parseTransaction(asHex(stuck.raw));
    // Nodes take a replacement only when it pays a tenth more.
    const maxFeePerGas = higher(raised(BigInt(stuck.maxFee)), current.maxFeePerGas);
    const maxPriorityFeePerGas = higher(raised(BigInt(stuck.priorityFee)), current.maxPriorityFeePerGas);
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: chainId ?? this.#parts.chainId,
      nonce: nonce ?? stuck.nonce,
      to: to ?? account.address,
      data: data ?? '0x',
      gas: gas ?? transferGas,
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
    if (!(await store.replaced(lane, node, replacement))) return;
    this.#faultPoint('replacement stored');
    await this.#broadcast(replacement);
  }

  /** Fills nonces the chain still wants from before the oldest of ours, which would else never be mined. */
  async #closeGap(mined: number, oldestOpen: number): Promise<void> {
    const { store, lane, node, client, account, chainId } = this.#parts;
    const until = Math.min(oldestOpen, (await store.nextNonce(lane)) ?? mined);
    const looks = mined < until ? (this.#lostLooks.get(-1) ?? 0) + 1 : 0;
    this.#lostLooks.set(-1, looks);
    if (looks < looksBeforeLost) return;
    const fees = await client.estimateFeesPerGas();
    for (let nonce = mined; nonce < until; nonce++) {
      const { maxFeePerGas, maxPriorityFeePerGas } = fees;
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
      if (await store.replaced(lane, node, filler)) await this.#broadcast(filler);
    }
  }

  /** Signs and sends what is due, as far as the window reaches; counts it. */
  async #sendDue(open: number): Promise<number> {
    const { store, lane, node, client, account, chainId } = this.#parts;
    const due = await store.due(lane, Math.max(0, window - open));
    if (due.length === 0) return 0;
    this.#faultPoint('due read');
    const fees = await client.estimateFeesPerGas();
    const ready = await Promise.all(due.map((action) => this.#prepare(action)));
    this.#faultPoint('prepared');
    let nonce = await store.nextNonce(lane);
    if (nonce === null) {
      nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
      await store.raiseNonce(lane, node, nonce);
    }
    const transactions: SignedTransaction[] = [];
    for (const one of ready) {
      if (!one) continue;
      const { maxFeePerGas, maxPriorityFeePerGas } = fees;
      const { action, to, data, gas } = one;
      const terms = { maxFeePerGas, maxPriorityFeePerGas };
      const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, data, gas, ...terms });
      transactions.push(signedTransaction(raw, nonce++, action._id, maxFeePerGas, maxPriorityFeePerGas));
      this.#faultPoint('signed');
    }
    // In the order of the nonces, and in one batch: where one is refused, so are those after it.
    const stored = await Promise.all(transactions.map((one) => store.signed(lane, node, one)));
    this.#faultPoint('stored');
    for (const [at, transaction] of transactions.entries()) {
      if (!stored[at]) break;
      await this.#broadcast(transaction);
    }
    return stored.filter(Boolean).length;
  }

  /** What an action is sent as; null when it cannot be sent, now or ever. */
  async #prepare(action: QueuedAction): Promise<Ready | null> {
    const { store, lane, node, client, account } = this.#parts;
    let abi: Abi = [];
    try {
      const call = contractCall.parse(action.payload);
      abi = [parseFunction(call.function), ...(parseAbi(call.errors) as Abi)];
      const data = encodeFunctionData({ abi, args: typedArguments(call.function, call.args) });
      const to = asHex(call.contract);
      if (call.gas !== undefined) return { action, to, data, gas: BigInt(call.gas) };
      const estimate = await client.estimateGas({ account: account.address, to, data });
      return { action, to, data, gas: (estimate * 12n) / 10n };
    } catch (error) {
      if (isOutOfReach(error)) return null; // the next look tries again
      if (isOutOfFunds(error)) {
        const dueAt = Date.now() + backoffMs(action.attempts + 1);
        await store.postpone(lane, node, action._id, 'the signer has too little to pay the fees', dueAt);
        return null;
      }
      const reverted = revertReason(error, abi);
      if (reverted === null && action.attempts < 5) {
        const dueAt = Date.now() + backoffMs(action.attempts + 1);
        await store.postpone(lane, node, action._id, firstLine(error), dueAt);
        return null;
      }
      if (await store.fail(lane, node, action._id, reverted ?? firstLine(error)))
        this.#parts.onSettled('failed');
      return null;
    }
  }

  /** Sends a transaction that is in the store. Whatever is answered, the next looks find out what became of it. */
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

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
