import { leaseLane, raiseNonce } from './commands.ts';
import { DueActions } from './due-actions.ts';
import { Lane, type LaneOptions } from './lane.ts';
import { MinedTransactions } from './mined-transactions.ts';
import { PendingTransactions } from './pending-transactions.ts';
import { listOpenTransactions } from './queries.ts';
import { isUnreachable } from './rpc-errors.ts';

/** The lifetime of a lease, which every poll renews. Longer than the slowest poll. */
const laneLeaseMs = 30_000;

/**
 * Sends the transactions of one signer on one chain while this process holds the lane's lease. Every transaction is
 * stored before it is sent, so that another process, or this one after a crash, sends exactly the same again: the chain
 * accepts only one transaction per nonce.
 */
export class LaneWriter {
  readonly #lane: Lane;
  readonly #mined: MinedTransactions;
  readonly #pending: PendingTransactions;
  readonly #due: DueActions;

  constructor(options: LaneOptions) {
    this.#lane = new Lane(options);
    this.#mined = new MinedTransactions(this.#lane);
    this.#pending = new PendingTransactions(this.#lane);
    this.#due = new DueActions(this.#lane);
  }

  /** Settles mined transactions, resends pending ones, sends due actions. True: something was settled or sent. */
  async poll(): Promise<boolean> {
    const { db, lane, node, hooks } = this.#lane.options;
    if (!(await db.write(leaseLane, lane, node, hooks.leaseMs ?? laneLeaseMs))) return false;
    this.#lane.faultPoint('leased');
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
