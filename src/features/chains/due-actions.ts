import type { Abi, Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { z } from 'zod';
import type { ListedAction } from '../queue/action.ts';
import { backoffMs } from '../queue/backoff.ts';
import { parseFunction, typedArguments } from './call-signature.ts';
import { explainAction, failAction, postponeAction, raiseNonce, storeSigned } from './commands.ts';
import type { Fees, Lane, LaneOptions } from './lane.ts';
import { listDueActions, readLane } from './queries.ts';
import { asHex, isOutOfFunds, isUnreachable, revertReason } from './rpc-errors.ts';
import type { SignedTransaction } from './signed-transaction.ts';
import { noContractAt } from './token-balances.ts';
import { budgetRefusal, feeRefusal, fundsRefusal, gasRefusal, outOfFunds } from './transaction-settings.ts';

/** The most transactions in flight. */
export const maxInFlight = 64;

const contractCall = z.object({
  chainId: z.int(),
  contract: z.string(),
  function: z.string(),
  args: z.array(z.string()),
  errors: z.array(z.string()).default([]),
  gas: z.int().optional(),
});

interface PreparedAction {
  action: ListedAction;
  to: Hex;
  data: Hex;
  gas: bigint;
}

/** Signs transactions for due actions, and sends them. */
export class DueActions {
  readonly #lane: Lane;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Signs and sends due actions within the window; returns how many. `open`: the number of transactions in flight. */
  async send(open: number): Promise<number> {
    const { db, lane, node, client, settings } = this.#lane.options;
    const due = await db.read(listDueActions, lane, Math.max(0, maxInFlight - open));
    if (due.length === 0) return 0;
    this.#lane.faultPoint('due read');
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const tooExpensive = feeRefusal(maxFeePerGas, settings.bounds);
    if (tooExpensive !== null) {
      await Promise.all(due.map((action) => this.#postpone(action, `${tooExpensive}; it will be retried`)));
      return 0;
    }
    const codes = new Map<Hex, Promise<Hex | undefined>>();
    const ready = await Promise.all(due.map((action) => this.#prepare(action, codes)));
    this.#lane.faultPoint('prepared');
    const transactions = await this.#sign(ready, { maxFeePerGas, maxPriorityFeePerGas });
    // In nonce order and in one batch: if one is refused, so are those after it.
    const stored = await Promise.all(
      transactions.map(({ transaction, wei }) =>
        db.write(storeSigned, lane, node, transaction, this.#lane.cost(wei)),
      ),
    );
    this.#lane.faultPoint('stored');
    for (const [at, { transaction }] of transactions.entries()) {
      if (!stored[at]) break;
      await this.#lane.broadcast(transaction);
    }
    return stored.filter(Boolean).length;
  }

  /** Signs with the next nonces; postpones what exceeds the day's budget or the signer's funds. */
  async #sign(
    ready: readonly (PreparedAction | null)[],
    fees: Fees,
  ): Promise<{ transaction: SignedTransaction; wei: bigint }[]> {
    const { db, lane, node, client, account, chainId, settings } = this.#lane.options;
    const { bounds } = settings;
    const { nextNonce, spentWei } = await db.read(readLane, lane);
    let left = bounds.dailyWei - BigInt(spentWei);
    let funds = await client.getBalance({ address: account.address, blockTag: 'pending' });
    let nonce = nextNonce;
    if (nonce === null) {
      nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
      await db.write(raiseNonce, lane, node, nonce);
    }
    const transactions: { transaction: SignedTransaction; wei: bigint }[] = [];
    for (const one of ready) {
      if (!one) continue;
      const { action, ...call } = one;
      const wei = call.gas * fees.maxFeePerGas;
      const why = budgetRefusal(wei, { left, chainId }, bounds) ?? fundsRefusal(wei, funds);
      if (why !== null) {
        await this.#postpone(action, `${why}; it will be retried`);
        continue;
      }
      left -= wei;
      funds -= wei;
      const transaction = await this.#lane.sign({ actionId: action._id, nonce: nonce++, ...call, ...fees });
      transactions.push({ transaction, wei });
      this.#lane.faultPoint('signed');
    }
    return transactions;
  }

  /** The call data and gas of an action; null if it cannot be sent, now or ever. `codes`: of contracts, as they are read. */
  async #prepare(
    action: ListedAction,
    codes: Map<Hex, Promise<Hex | undefined>>,
  ): Promise<PreparedAction | null> {
    const { client, account, settings } = this.#lane.options;
    let abi: Abi = [];
    try {
      const call = contractCall.parse(action.payload);
      abi = [parseFunction(call.function), ...(parseAbi(call.errors) as Abi)];
      const data = encodeFunctionData({ abi, args: typedArguments(call.function, call.args) });
      const to = asHex(call.contract);
      const reading = codes.get(to) ?? client.getCode({ address: to });
      codes.set(to, reading);
      const [code, needed] = await Promise.all([
        reading,
        call.gas === undefined
          ? client.estimateGas({ account: account.address, to, data })
          : BigInt(call.gas),
      ]);
      // A call to an address without code succeeds and does nothing. Retried: the RPC server may be behind.
      if (code === undefined) throw new Error(noContractAt(call));
      const refusal = gasRefusal(needed, settings.bounds);
      if (refusal !== null) {
        await this.#fail(action, refusal);
        return null;
      }
      const { maxGas } = settings.bounds;
      const withMargin = (needed * 12n) / 10n;
      return { action, to, data, gas: call.gas === undefined ? min(withMargin, maxGas) : needed };
    } catch (error) {
      if (isUnreachable(error)) {
        await explainOutage(this.#lane.options, action, noAnswerFrom(this.#lane.options.chainId));
        return null; // the next poll retries
      }
      const reverted = isOutOfFunds(error) ? null : revertReason(error, abi);
      if (isOutOfFunds(error)) await this.#postpone(action, `${outOfFunds}; it will be retried`);
      else if (reverted === null && action.attempts < 5) await this.#postpone(action, firstLine(error));
      else await this.#fail(action, reverted ?? firstLine(error));
      return null;
    }
  }

  async #postpone({ _id, attempts }: ListedAction, error: string): Promise<void> {
    const { db, lane, node } = this.#lane.options;
    await db.write(postponeAction, lane, node, _id, error, db.now() + backoffMs(attempts + 1));
  }

  async #fail({ _id }: ListedAction, error: string): Promise<void> {
    const { db, lane, node, onSettled } = this.#lane.options;
    if (await db.write(failAction, lane, node, _id, error)) onSettled('failed');
  }
}

/** Records why a queued action cannot be sent now, if the action does not say so yet. */
export async function explainOutage(
  { db, lane, node }: Pick<LaneOptions, 'db' | 'lane' | 'node'>,
  { _id, error }: ListedAction,
  why: string,
): Promise<void> {
  const outage = `${why}; it will be retried`;
  if (error !== outage) await db.write(explainAction, lane, node, _id, outage);
}

export function noAnswerFrom(chainId: number): string {
  return `the RPC server of chain ${chainId} does not answer, or not as it should`;
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
