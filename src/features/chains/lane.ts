import type { Hex, PublicClient } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { Store } from '../../core/storage/store.ts';
import type { Cost } from './commands.ts';
import { readLane } from './queries.ts';
import { asHex } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { budgetRefusal, type TransactionSettings } from './transaction-settings.ts';

/** Hooks for crash tests; empty in production. */
export interface ChainHooks {
  /** Called between steps, with the step's name; a test ends the process there. */
  faultPoint?: (name: string) => void;
  /** How long a lease outlives its process, in milliseconds. */
  leaseMs?: number;
}

export interface LaneOptions {
  lane: string;
  /** Identifies this process. */
  node: string;
  account: PrivateKeyAccount;
  chainId: number;
  client: PublicClient;
  db: Store;
  settings: Pick<TransactionSettings, 'confirmations' | 'stuckAfterMs' | 'bounds'>;
  hooks: ChainHooks;
  onSettled(outcome: 'confirmed' | 'failed'): void;
}

/** In wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** A transaction before it is signed. */
interface Draft extends Fees {
  /** Empty: it only fills a nonce gap. */
  actionId: string;
  nonce: number;
  to: Hex;
  data: Hex;
  gas: bigint;
}

/** One signer on one chain: signs and broadcasts transactions, and checks the day's budget. */
export class Lane {
  readonly options: LaneOptions;
  readonly faultPoint: (name: string) => void;
  /** When this process last sent each transaction, by hash. */
  readonly #sentAt = new Map<string, number>();

  constructor(options: LaneOptions) {
    this.options = options;
    this.faultPoint = options.hooks.faultPoint ?? (() => undefined);
  }

  async sign({ actionId, nonce, to, data, gas, ...fees }: Draft): Promise<SignedTransaction> {
    const { account, chainId, db } = this.options;
    const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, data, gas, ...fees });
    return {
      hash: keccak256(raw),
      nonce,
      actionId,
      raw,
      maxFee: String(fees.maxFeePerGas),
      priorityFee: String(fees.maxPriorityFeePerGas),
      signedAt: db.now(),
    };
  }

  /** Sends a stored transaction. The response is ignored: later polls find out what became of it. */
  async broadcast({ hash, raw }: SignedTransaction): Promise<void> {
    this.#sentAt.set(hash, Date.now());
    this.faultPoint('before sending');
    await this.options.client
      .sendRawTransaction({ serializedTransaction: asHex(raw) })
      .catch(() => undefined);
    this.faultPoint('sent');
  }

  /** How long ago this process sent the transaction, in milliseconds. */
  sinceBroadcast({ hash }: SignedTransaction): number {
    return Date.now() - (this.#sentAt.get(hash) ?? 0);
  }

  /** Call this when the nonce of these attempts is settled. */
  forgetBroadcasts(attempts: readonly SignedTransaction[]): void {
    for (const { hash } of attempts) this.#sentAt.delete(hash);
  }

  /** Why `wei` exceed the day's budget; null: they do not. */
  async overBudget(wei: bigint): Promise<string | null> {
    const { db, lane, chainId, settings } = this.options;
    const { spentWei } = await db.read(readLane, lane);
    const left = settings.bounds.dailyWei - BigInt(spentWei);
    return budgetRefusal(wei, { left, chainId }, settings.bounds);
  }

  cost(wei: bigint): Cost {
    return { wei: String(wei), dailyWei: String(this.options.settings.bounds.dailyWei) };
  }
}
