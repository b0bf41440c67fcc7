import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import type { Lookup, LookupSteps } from '../../core/storage/lookup.ts';
import type { SpendingPolicy } from '../games/game.ts';
import { toGame } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { type SpendingRow, spending, spent } from './tables.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** What an on-chain action uses of the game's limits. */
export interface Cost {
  /** `<chain id>:<contract>` of the token that it issues; empty: none. */
  token: string;
  /** In the token's smallest unit. */
  amount: bigint;
}

/**
 * Why the game may not spend this now; null: it may. Games have limits for what they may spend on chains per day (UTC),
 * in total and per player. Without a limit nothing is allowed: a game without limits spends nothing.
 */
export function* spendingRefusal<Asked>(
  from: Lookup<Asked>,
  { gameId, wallet }: Owner,
  { token, amount }: Cost,
): LookupSteps<Asked, string | null> {
  const game = yield* from.get(games, gameId);
  if (!game) return 'the game does not exist';
  const policy = toGame(game).policies.spending;
  const { transactionsPerDay, transactionsPerPlayerPerDay } = policy;
  const day = dayOf(from.now);
  if ((yield* sumOf(from, gameId, '', '', day)) >= BigInt(transactionsPerDay)) {
    return `spending limit: the game may send ${transactionsPerDay} transactions a day`;
  }
  if ((yield* sumOf(from, gameId, wallet, '', day)) >= BigInt(transactionsPerPlayerPerDay)) {
    return `spending limit: the game may send ${transactionsPerPlayerPerDay} transactions a day for one player`;
  }
  if (token === '') return null;
  const limit = limitOf(policy, token);
  if (!limit) return `spending limit: the game has none for the token ${token}, so it cannot issue it`;
  if ((yield* sumOf(from, gameId, '', token, day)) + amount > BigInt(limit.perDay)) {
    return `spending limit: the game may issue ${limit.perDay} units of ${token} a day`;
  }
  if ((yield* sumOf(from, gameId, wallet, token, day)) + amount > BigInt(limit.perPlayerPerDay)) {
    return `spending limit: the game may issue ${limit.perPlayerPerDay} units of ${token} a day to one player`;
  }
  return null;
}

/**
 * Charges an action's cost to the game's limits, or returns why it may not be spent; null: it was charged. A cost that
 * was refused is recorded as refunded, so that a retry is charged for it.
 */
export function* spend(tx: Tx, owner: Owner, actionId: string, cost: Cost): Steps<string | null> {
  yield* tx.lock(games, owner.gameId); // the sums are the whole game's
  const refusal = yield* spendingRefusal(tx, owner, cost);
  const { token, amount } = cost;
  const day = dayOf(tx.now);
  const refunded = refusal === null ? 0 : 1;
  tx.put(spending, { actionId, ...owner, token, amount: String(amount), day, refunded });
  if (refusal === null) yield* count(tx, owner, { token, day, amount, transactions: 1n });
  return refusal;
}

/** Refunds what was charged for an action that was never sent. The amount stays recorded, for a retry. */
export function* refundSpending(tx: Tx, actionId: string): Steps<void> {
  const charged = yield* tx.get(spending, actionId);
  if (charged) yield* refund(tx, charged, { transactions: 1n });
}

function* refund(tx: Tx, charged: SpendingRow, { transactions }: { transactions: bigint }): Steps<void> {
  if (charged.refunded === 1) return;
  yield* tx.lock(games, charged.gameId);
  tx.put(spending, { ...charged, refunded: 1 });
  const { token, day, amount } = charged;
  yield* count(tx, charged, { token, day, amount: -BigInt(amount), transactions: -transactions });
}

/** Charges a retried action what it cost the first time. @throws GantryError `spending_limit_reached` */
export function* chargeAgain(tx: Tx, { gameId, wallet }: Owner, actionId: string): Steps<void> {
  const charged = yield* tx.get(spending, actionId);
  if (!charged) return;
  // What was not refunded yet was sent and reverted: it issued nothing, but was a transaction.
  yield* refund(tx, charged, { transactions: 0n });
  const cost = { token: charged.token, amount: BigInt(charged.amount) };
  const refusal = yield* spend(tx, { gameId, wallet }, actionId, cost);
  if (refusal !== null) throw new GantryError('spending_limit_reached', refusal);
}

/** Deletes the spending of days before `olderThan`, at most `limit` rows per table; true: there may be more. */
export function* trimSpending(tx: Tx, olderThan: number, limit: number): Steps<boolean> {
  const before = dayOf(olderThan);
  const [charged, sums] = yield* tx.all(
    tx.list(spending.byDay, [], { limit }),
    tx.list(spent.byDay, [], { limit }),
  );
  const oldCharges = charged.filter(({ day }) => day < before);
  const oldSums = sums.filter(({ day }) => day < before);
  for (const row of oldCharges) tx.remove(spending, row);
  for (const row of oldSums) tx.remove(spent, row);
  return oldCharges.length === limit || oldSums.length === limit;
}

function* count(
  tx: Tx,
  { gameId, wallet }: Owner,
  { token, day, amount, transactions }: { token: string; day: number; amount: bigint; transactions: bigint },
): Steps<void> {
  for (const whose of ['', wallet]) {
    yield* add(tx, gameId, whose, '', day, transactions);
    if (token !== '') yield* add(tx, gameId, whose, token, day, amount);
  }
}

function* add(
  tx: Tx,
  gameId: string,
  wallet: string,
  token: string,
  day: number,
  amount: bigint,
): Steps<void> {
  const sum = (yield* sumOf(tx, gameId, wallet, token, day)) + amount;
  tx.put(spent, { gameId, wallet, token, day, amount: String(sum) });
}

function* sumOf<Asked>(
  from: Lookup<Asked>,
  gameId: string,
  wallet: string,
  token: string,
  day: number,
): LookupSteps<Asked, bigint> {
  return BigInt((yield* from.get(spent, gameId, wallet, token, day))?.amount ?? '0');
}

function limitOf({ tokens }: SpendingPolicy, token: string) {
  return tokens.find(({ chainId, contract }) => `${chainId}:${contract}` === token);
}

function dayOf(now: number): number {
  return Math.floor(now / dayMs);
}
