import type { PublicClient } from 'viem';
import { ChainSettingsError } from './chain-client.ts';
import { leaseLane, raiseNonce } from './commands.ts';
import { DueActions, explainOutage, maxInFlight, noAnswerFrom } from './due-actions.ts';
import { Lane, type LaneOptions } from './lane.ts';
import { MinedTransactions } from './mined-transactions.ts';
import { PendingTransactions } from './pending-transactions.ts';
import { listDueActions, listOpenTransactions } from './queries.ts';
import { isUnreachable } from './rpc-errors.ts';

/** The lifetime of a lease, which every poll renews. Longer than the slowest poll. */
const laneLeaseMs = 30_000;

export interface LaneWriterOptions extends Omit<LaneOptions, 'client'> {
  /** @throws Error when the chain cannot be used; it is called again by the next poll */
  connect(): Promise<PublicClient>;
}

/**
 * Sends the transactions of one signer on one chain while this process holds the lane's lease. Every transaction is
 * stored before it is sent, so that another process, or this one after a crash, sends exactly the same again: the chain
 * accepts only one transaction per nonce.
 */
export class LaneWriter {
  readonly #options: LaneWriterOptions;
  #steps: LaneSteps | null = null;
  /** Why the latest poll could not use the chain; empty if it could. */
  #outage = '';

  constructor(options: LaneWriterOptions) {
    this.#options = options;
  }

  /**
   * Settles mined transactions, resends pending ones, sends due actions. True: something was settled or sent. While the
   * chain cannot be used, only the first poll rejects, and the actions say why.
   */
  async poll(): Promise<boolean> {
    const { db, lane, node, hooks, connect } = this.#options;
    if (!(await db.write(leaseLane, lane, node, hooks.leaseMs ?? laneLeaseMs))) return false;
    hooks.faultPoint?.('leased');
    try {
      this.#steps ??= new LaneSteps(new Lane({ ...this.#options, client: await connect() }));
      const isMore = await this.#steps.run();
      this.#outage = '';
      return isMore;
    } catch (error) {
      const outage = this.#whyUnusable(error);
      if (outage === null) throw error;
      const due = await db.read(listDueActions, lane, maxInFlight);
      await Promise.all(due.map((action) => explainOutage(this.#options, action, outage)));
      if (outage === this.#outage) return false;
      this.#outage = outage;
      throw error;
    }
  }

  /** Why the chain cannot be used; null: it is another error. */
  #whyUnusable(error: unknown): string | null {
    if (error instanceof ChainSettingsError) return error.message;
    return isUnreachable(error) ? noAnswerFrom(this.#options.chainId) : null;
  }
}

/** What a poll does while it holds the lease. */
class LaneSteps {
  readonly #lane: Lane;
  readonly #mined: MinedTransactions;
  readonly #pending: PendingTransactions;
  readonly #due: DueActions;

  constructor(lane: Lane) {
    this.#lane = lane;
    this.#mined = new MinedTransactions(lane);
    this.#pending = new PendingTransactions(lane);
    this.#due = new DueActions(lane);
  }

  /** True: something was settled or sent. */
  async run(): Promise<boolean> {
    const { open, settled } = await this.#settleOpen();
    const sent = await this.#due.send(open);
    return settled + sent > 0;
  }

  /** Settles mined transactions and resends pending ones; returns the numbers of both. */
  async #settleOpen(): Promise<{ open: number; settled: number }> {
    const { db, lane, client, account, node } = this.#lane.options;
    const byNonce = Map.groupBy(await db.read(listOpenTransactions, lane), ({ nonce }) => nonce);
    const [head, used] = await Promise.all([
      client.getBlockNumber(),
      client.getTransactionCount({ address: account.address, blockTag: 'latest' }),
    ]);
    await this.#pending.closeGap(used, byNonce);
    const results = await Promise.all(
      [...byNonce].map(([nonce, attempts]) =>
        (nonce < used
          ? this.#mined.settle(nonce, attempts, head)
          : this.#pending.resend(attempts, nonce === used)
        ).catch(stayOpen),
      ),
    );
    if (byNonce.size === 0) {
      const pending = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
      await db.write(raiseNonce, lane, node, pending);
    }
    const open = results.filter((isOpen) => isOpen).length;
    return { open, settled: results.length - open };
  }
}

/** A failed RPC call for one nonce does not affect the others: this nonce stays open and is polled again. */
function stayOpen(error: unknown): true {
  if (isUnreachable(error)) return true;
  throw error;
}
