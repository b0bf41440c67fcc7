import type { Owner } from '../core/schemas/owner.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import type { Lookup, LookupSteps } from '../core/storage/lookup.ts';
import { GantryError } from '../errors.ts';
import type { SpendingPolicy } from '../games/game.ts';
import { toGame } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { spending, spent } from './tables.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** What an action on a chain takes of the game's limits. */
export interface Cost {
  /** `<chain id>:<contract>` of the token it hands out; empty: none. */
  token: string;
  /** In the token's smallest unit. */
  amount: bigint;
}

/**
 * Why the game may not spend this now; null: it may. Games are held to what they may spend on chains in a day (UTC), in
 * all and for each player. What no limit allows is not allowed: a game without limits spends nothing.
 */
export function* spendingRefusal<Asked>(
  from: Lookup<Asked>,
  { gameId, wallet }: Owner,
  { token, amount }: Cost,
): LookupSteps<Asked, string | null> {
  const game = yield* from.get(games, gameId);
  if (!game) return 'the game is not there';
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
  if (!limit) return `spending limit: the game has none for the token ${token}, so it may not hand it out`;
  if ((yield* sumOf(from, gameId, '', token, day)) + amount > BigInt(limit.perDay)) {
    return `spending limit: the game may hand out ${limit.perDay} units of ${token} a day`;
  }
  if ((yield* sumOf(from, gameId, wallet, token, day)) + amount > BigInt(limit.perPlayerPerDay)) {
    return `spending limit: the game may hand out ${limit.perPlayerPerDay} units of ${token} a day to one player`;
  }
  return null;
}

/** Takes what an action costs of the game's limits, or says why it may not; null: it is taken. */
export function* spend(tx: Tx, owner: Owner, actionId: string, cost: Cost): Steps<string | null> {
  yield* tx.lock(games, owner.gameId); // the sums are the whole game's
  const refusal = yield* spendingRefusal(tx, owner, cost);
  if (refusal !== null) return refusal;
  const { token, amount } = cost;
  const day = dayOf(tx.now);
  tx.put(spending, { actionId, ...owner, token, amount: String(amount), day, givenBack: 0 });
  yield* count(tx, owner, { token, day, amount, transactions: 1n });
  return null;
}

/** What was taken for an action that never was sent is free again; how much it was is remembered, for a retry. */
export function* giveBackSpending(tx: Tx, actionId: string): Steps<void> {
  const taken = yield* tx.get(spending, actionId);
  if (!taken || taken.givenBack === 1) return;
  yield* tx.lock(games, taken.gameId);
  tx.put(spending, { ...taken, givenBack: 1 });
  const { token, day, amount } = taken;
  yield* count(tx, taken, { token, day, amount: -BigInt(amount), transactions: -1n });
}

/** Takes for an action that is tried again what it took the first time. @throws GantryError `spending_limit_reached` */
export function* spendAgain(tx: Tx, { gameId, wallet }: Owner, actionId: string): Steps<void> {
  const taken = yield* tx.get(spending, actionId);
  if (!taken) return;
  yield* giveBackSpending(tx, actionId);
  const cost = { token: taken.token, amount: BigInt(taken.amount) };
  const refusal = yield* spend(tx, { gameId, wallet }, actionId, cost);
  if (refusal !== null) throw new GantryError('spending_limit_reached', refusal);
}

/** Forgets what was spent on days before `olderThan`, a limited number of rows; true: there may be more. */
export function* trimSpending(tx: Tx, olderThan: number, limit: number): Steps<boolean> {
  const before = dayOf(olderThan);
  const [taken, sums] = yield* tx.all(
    tx.list(spending.byDay, [], { limit }),
    tx.list(spent.byDay, [], { limit }),
  );
  const oldTaken = taken.filter(({ day }) => day < before);
  const oldSums = sums.filter(({ day }) => day < before);
  for (const row of oldTaken) tx.remove(spending, row);
  for (const row of oldSums) tx.remove(spent, row);
  return oldTaken.length === limit || oldSums.length === limit;
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
